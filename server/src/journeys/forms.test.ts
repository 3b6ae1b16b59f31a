import { expect, test } from "vitest";
import { createSubmittedChange } from "#domains/itsm/changes/testing/changes.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, moveTo, useConsole } from "./testing.ts";

const PROBLEMS = "/api/v1/itsm/problems";

describeInBrowser("forms", () => {
  const at = useConsole();

  test("a panel merges concurrent changes of other fields, and asks about changes of the same field", async () => {
    const owner = await at.world.member(["owner"]);
    const admin = await at.visit(["admin"]);
    const { page } = admin;
    const { id, number } = (await owner(`POST ${PROBLEMS}`, { title: "Tills go dark" })).body.data;
    const read = async () => (await owner(`GET ${PROBLEMS}/${id}`)).body.data;
    await page.goto(`${at.origin}/problems/${number}`);
    const cause = page.getByLabel("Cause (optional)", { exact: true });
    await cause.fill("A loose plug");
    await owner(`PATCH ${PROBLEMS}/${id}`, { workaround: "Push the plug in." });
    await page.keyboard.press("Control+s");
    await page.getByText("Cause and workaround saved").waitFor();
    expect(await read()).toMatchObject({
      rootCause: "A loose plug",
      workaround: "Push the plug in.",
    });

    await cause.fill("A rotten cable");
    await owner(`PATCH ${PROBLEMS}/${id}`, { rootCause: "A mouse" });
    await page.keyboard.press("Control+s");
    await page.getByText(/Another user changed Root cause/).waitFor();
    await page
      .getByRole("button", { name: "Use their version" })
      .and(page.locator(":focus"))
      .waitFor();
    await expectSound(admin);
    expect(await read()).toMatchObject({ rootCause: "A mouse" });
    await page.getByRole("button", { name: "Save my version" }).click();
    await expect.poll(async () => (await read()).rootCause).toBe("A rotten cable");

    await cause.fill("Nothing that is kept");
    await page.getByRole("link", { name: "Problems", exact: true }).first().click();
    const question = page.getByRole("dialog", { name: "Discard changes?" });
    await question.getByRole("button", { name: "Keep editing" }).click();
    expect(await cause.inputValue()).toBe("Nothing that is kept");
    await page.getByRole("link", { name: "Problems", exact: true }).first().click();
    await question.getByRole("button", { name: "Discard" }).click();
    await page.waitForURL(/\/problems$/);
    expect(admin.faults).toEqual([]);
  });

  test("dialogs show errors at required fields and confirm before discarding input", async () => {
    const owner = await at.world.member(["owner"]);
    const admin = await at.visit(["admin"]);
    const { page } = admin;
    const change = await createSubmittedChange(owner, { title: "Tune the pools" });
    await page.goto(`${at.origin}/changes/${change.number}`);
    await page.getByRole("button", { name: "Add task", disabled: false }).click();
    const dialog = page.getByRole("dialog", { name: "Add task" });
    const title = dialog.getByLabel("Title", { exact: true });
    await page.keyboard.press("Control+Enter");
    await dialog.getByText("Title is required.").waitFor();
    expect(await title.evaluate((field) => field === document.activeElement)).toBe(true);
    await expectSound(admin);
    await title.fill("Take a snapshot");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Keep editing" }).click();
    expect(await title.inputValue()).toBe("Take a snapshot");
    await title.focus();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Tasks" }).getByText("Take a snapshot").waitFor();
    // An unchanged form closes without a question.
    await page.getByRole("button", { name: "Add task" }).click();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(admin.faults).toEqual([]);
  });

  test("forms of several areas submit their values with the keyboard", async () => {
    const owner = await at.world.member(["owner"]);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    const list = async (path: string) => (await owner(`GET ${path}`)).body.data;
    await page.goto(`${at.origin}/variables`);
    await page
      .getByRole("button", { name: /New variable/, disabled: false })
      .first()
      .click();
    await page.getByRole("textbox", { name: "Name" }).fill("SHOP_URL");
    await page.getByRole("textbox", { name: "Value" }).fill("42");
    await page.keyboard.press("Control+Enter");
    await page.getByText("SHOP_URL created.").waitFor();
    expect(await list("/api/v1/variables")).toMatchObject([{ name: "SHOP_URL", value: 42 }]);

    await moveTo(page, `${at.origin}/settings/desk/teams?open=new`);
    await page.getByLabel("Name", { exact: true }).fill("Network");
    await page.keyboard.press("Control+s");
    await page.getByText("Network saved").waitFor();
    await page.getByLabel("Description (optional)").fill("Switches and cables");
    await page.keyboard.press("Control+s");
    await expect
      .poll(() => list("/api/v1/itsm/teams"))
      .toMatchObject([{ name: "Network", description: "Switches and cables" }]);
    await expectSound(visitor);

    await moveTo(page, `${at.origin}/alerts/new`);
    await page.getByRole("heading", { name: "New alert" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Many runs");
    await page.keyboard.press("Control+s");
    await page.getByText("Many runs saved.").waitFor();
    await expectSound(visitor);

    const incident = { title: "The till is dark", description: "" };
    const { number } = (await owner("POST /api/v1/itsm/incidents", incident)).body.data;
    await moveTo(page, `${at.origin}/desk?view=open&open=${number}`);
    await page.getByRole("list", { name: "Timeline" }).waitFor();
    await page.keyboard.press("h");
    const dialog = page.getByRole("dialog", { name: `Put on hold ${number}` });
    await dialog.waitFor();
    await page.keyboard.press("Control+Enter");
    await dialog.getByText("Reason for hold is required.").waitFor();
    await page.keyboard.type("A part");
    await page.keyboard.press("Control+Enter");
    await page.getByText(`${number} on hold`).waitFor();
    expect(await list(`/api/v1/itsm/incidents/${number}`)).toMatchObject({
      state: "on_hold",
      onHoldReason: "A part",
    });

    await moveTo(page, `${at.origin}/oncall?tab=absences`);
    await page.getByRole("button", { name: "Add absence", disabled: false }).first().click();
    await page.getByLabel("Note (optional)").fill("The sea");
    await page.keyboard.press("Enter");
    await page.getByText("The sea").first().waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
