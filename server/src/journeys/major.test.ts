import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, useConsole } from "./testing.ts";

const INCIDENTS = "/api/v1/itsm/incidents";

describeInBrowser("major incidents", () => {
  const at = useConsole();

  test("a major incident in its room: roles, internal and public updates, closing of linked reports, a review", async () => {
    const owner = await at.world.member(["owner"]);
    await owner("PATCH /api/v1/itsm/status-page", { isOn: true, title: "Mill status" });
    await owner("POST /api/v1/itsm/status-components", { name: "Card payments" });
    const raise = async (title: string) => (await owner(`POST ${INCIDENTS}`, { title })).body.data;
    const major = await raise("Checkout answers 502");
    await owner(`POST ${INCIDENTS}/${major.id}/major`, {});
    const report = await raise("Till 4 shows an error");
    const visitor = await at.visit(["agent"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/major/${major.number}`);
    await page.getByRole("heading", { name: "Checkout answers 502" }).waitFor();
    await page.getByLabel("Number of the child incident").fill(report.number);
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Child incidents" }).getByText("Till 4").waitFor();
    await page.getByRole("button", { name: "Incident commander: assign to me" }).click();
    await page.getByText(/ as commander/).waitFor();
    await page.getByLabel("Update message").fill("Cards fail. Cash works.");
    await page.getByLabel("Also publish on the status page").check();
    await page.getByLabel("Title on the status page").fill("Card payments fail");
    await page.getByLabel("Effect").selectOption("down");
    await page.getByRole("checkbox", { name: "Card payments" }).check();
    await expectSound(visitor);
    await page.getByRole("button", { name: "Send update" }).click();
    await page.getByText("Update sent and published on the status page.").waitFor();

    // Everyone reads it, without a script and without signing in.
    const stranger = await at.stranger({ width: 400 });
    const status = `${at.origin}/status/default`;
    const readStatus = async () => (await fetch(status)).text();
    await expect.poll(readStatus, { timeout: 20_000 }).toContain("Cards fail. Cash works.");
    await stranger.page.goto(status);
    expect(await stranger.page.getByText("Cards fail. Cash works.").count()).toBe(1);
    expect(await stranger.page.getByRole("status").textContent()).toBe("Some systems down");
    expect(await stranger.page.content()).not.toContain("502");
    await expectSound(stranger);

    // Closing it closes its reports; the review contains everything.
    await page.getByRole("button", { name: /^Resolve/ }).click();
    await page.getByLabel("Resolution").fill("A new certificate");
    await page.getByRole("dialog").getByRole("button", { name: "Resolve", exact: true }).click();
    await page.getByText(`${major.number} resolved`).waitFor();
    expect((await owner(`GET ${INCIDENTS}/${report.id}`)).body.data.state).toBe("resolved");
    await page.getByRole("button", { name: /^Review/ }).click();
    const review = page.getByRole("textbox", { name: "Review" });
    await review.waitFor();
    expect(await review.inputValue()).toContain("sent an update: Cards fail. Cash works.");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("Review saved as draft.").waitFor();
    const { body } = await owner(`GET /api/v1/knowledge?tag=${major.number.toLowerCase()}`);
    expect(body.data).toHaveLength(1);
    await expectSound(visitor);
  });
});
