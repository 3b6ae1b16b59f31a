import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, useConsole } from "./testing.ts";

describeInBrowser("audit log", () => {
  const at = useConsole();

  test("finds events by ticket number and by former member, and Clear resets all fields", async () => {
    const owner = await at.world.member(["owner"]);
    const gone = await at.world.member(["agent"]);
    await owner(`PATCH /api/v1/settings/users/${gone.userId}`, { name: "Dana Doe" });
    const { body } = await gone("POST /api/v1/itsm/incidents", { title: "Printer on fire" });
    await owner("POST /api/v1/itsm/incidents", { title: "Something else" });
    await owner(`DELETE /api/v1/settings/users/${gone.userId}`);
    const visitor = await at.visit(["auditor"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/settings/audit`);
    const events = page.getByRole("region", { name: "Events" });
    const other = events.getByRole("button", { name: /Something else/ });
    await other.waitFor();
    const field = page.getByRole("textbox", { name: "Resource" });
    await field.fill(body.data.number);
    await other.waitFor({ state: "detached" });
    await events
      .getByRole("button", { name: /Printer on fire/ })
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await other.waitFor();
    expect(await field.inputValue()).toBe("");

    await page.getByRole("combobox", { name: "Person" }).fill("Dana");
    await page.getByRole("option", { name: /Dana Doe/ }).click();
    await other.waitFor({ state: "detached" });
    await events
      .getByRole("button", { name: /Printer on fire/ })
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get("person")).toBe(gone.userId);
    await expectSound(visitor);
  });
});
