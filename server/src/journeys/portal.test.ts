import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, useConsole } from "./testing.ts";

/** Less than a page without a stream would wait. */
const LIVE_MAX_MS = 15_000;
const INCIDENTS = "/api/v1/itsm/incidents";

describeInBrowser("portal", () => {
  const at = useConsole();

  test("on a small screen a requester gets from a problem to a solution that they rate", async () => {
    const agent = await at.world.member(["agent"]);
    const visitor = await at.visit(["requester"], { width: 400 });
    const { page } = visitor;
    await page.goto(`${at.origin}/portal`);
    await page.getByRole("heading", { name: "What do you need?" }).waitFor();
    await expectSound(visitor);
    await page.getByRole("searchbox").fill("screen is dar");
    await page.getByText("No results for “screen is dar”.").waitFor();
    await page.getByRole("link", { name: "Report a problem" }).click();
    const title = page.getByLabel("What does not work?");
    expect(await title.inputValue()).toBe("screen is dar");
    await title.fill("My screen is dark");
    await page.getByLabel(/What happened/).fill("Since this morning.");
    await page
      .getByLabel("Select file")
      .setInputFiles({ name: "dark.txt", mimeType: "text/plain", buffer: Buffer.from("black") });
    await page.getByText("dark.txt").waitFor();
    // The draft survives a reload.
    await page.reload();
    expect(await page.getByLabel("What does not work?").inputValue()).toBe("My screen is dark");
    await page.getByRole("button", { name: "Send" }).click();
    await page.waitForURL(/\/tickets\/INC\d+$/);
    await page.getByText("Received").waitFor();
    await page.getByRole("button", { name: "dark.txt" }).waitFor();
    const number = page.url().split("/").at(-1) ?? "";
    const path = `${INCIDENTS}/${number}`;
    await agent(`POST ${path}/take`);
    await agent(`POST ${path}/comments`, { body: "A word among us", internal: true });
    await agent(`POST ${path}/comments`, { body: "Is the cable in?", internal: false });
    // The message appears live.
    await page.getByText("Is the cable in?").waitFor({ timeout: LIVE_MAX_MS });
    expect(await page.getByText("A word among us").count()).toBe(0);
    await page.getByRole("textbox", { name: "Your reply" }).fill("It is now.");
    await page.keyboard.press("Control+Enter");
    await page.getByText("You replied. We are looking into it").waitFor();
    await agent(`POST ${path}/resolve`, { resolution: "The cable" });
    await page.reload();
    await page.getByText("Is the problem solved?").waitFor();
    await expectSound(visitor);
    await page.getByRole("button", { name: "No, reopen it…" }).click();
    await page.getByLabel("What is still not working?").fill("It flickers.");
    await page.getByRole("button", { name: "Send", exact: true }).first().click();
    await page.getByText("Reopened").waitFor();
    await agent(`POST ${path}/resolve`, { resolution: "Another cable" });
    await page.reload();
    await page.getByRole("button", { name: "Yes, close it" }).click();
    await page.getByRole("button", { name: "Very good" }).click();
    await page.getByText("Thank you for your rating:").waitFor();
    expect((await agent(`GET ${path}`)).body.data).toMatchObject({
      state: "closed",
      satisfaction: 5,
      reopenCount: 1,
    });
    await expectSound(visitor);
  });

  test("a request is approved with one tap, which can be undone", async () => {
    const owner = await at.world.member(["owner"]);
    const lead = await at.visit(["requester"], { width: 400 });
    const form = {
      type: "object",
      properties: {
        why: { type: "string", title: "Why?", enum: ["New", "Broken"] },
        serial: { type: "string", title: "Serial number" },
      },
      required: ["why"],
      if: { properties: { why: { const: "Broken" } }, required: ["why"] },
      // oxlint-disable-next-line unicorn/no-thenable
      then: { required: ["serial"] },
      else: { properties: { serial: false } },
    };
    await owner("POST /api/v1/catalog/items", {
      name: "Laptop",
      description: "A machine of your own",
      form,
      approval: { required: true, approverIds: [lead.userId] },
    });
    const asking = await at.visit(["requester"]);
    await asking.page.goto(`${at.origin}/portal/default`);
    await asking.page.getByRole("link", { name: /Laptop/ }).click();
    await asking.page.getByText("Broken").click();
    const submit = asking.page.getByRole("button", { name: "Send for approval" });
    await submit.click();
    await asking.page.getByText("1 problem to fix").waitFor();
    await asking.page.getByLabel("Serial number").fill("C02XK1");
    await expectSound(asking);
    await submit.click();
    await asking.page
      .getByText(/Waiting for approval/)
      .first()
      .waitFor();
    const number = asking.page.url().split("/").at(-1) ?? "";
    const state = async () =>
      (await owner(`GET /api/v1/catalog/requests/${number}`)).body.data.state;
    await lead.page.goto(`${at.origin}/portal/default`);
    await lead.page.getByText("C02XK1").waitFor();
    await lead.page.getByRole("button", { name: "Approve" }).click();
    await lead.page.getByRole("button", { name: "Undo" }).click();
    expect(await state()).toBe("awaiting_approval");
    await lead.page.getByRole("button", { name: "Approve" }).click();
    await lead.page.getByText("Approved.").waitFor();
    await expect.poll(state).not.toBe("awaiting_approval");
    await expectSound(lead);
  });

  test("an outage is shown to all visitors, and all pages are readable without scripts", async () => {
    const owner = await at.world.member(["owner"]);
    const { body } = await owner(`POST ${INCIDENTS}`, { title: "Shops are offline" });
    const path = `${INCIDENTS}/${body.data.id}`;
    await owner(`POST ${path}/major`, { reason: "All shops" });
    await owner(`POST ${path}/broadcast`, { message: "Card payments fail. We are on it." });
    const visitor = await at.visit(["requester"]);
    await visitor.page.goto(`${at.origin}/portal/default`);
    await visitor.page.getByRole("button", { name: "Me too" }).click();
    await visitor.page.getByText("You too").waitFor();
    await visitor.page.getByText("1 person has reported it").waitFor();
    const plain = await visitor.page.request.get(`${at.origin}/portal/default?q=card`);
    const read = await plain.text();
    expect(read).toContain("Card payments fail. We are on it.");
    expect(read).not.toContain("All shops");
    // A form also works without scripts, with a file and with errors.
    const { context } = visitor;
    const bare = await context.browser()?.newContext({
      javaScriptEnabled: false,
      storageState: await context.storageState(),
      viewport: { width: 400, height: 800 },
    });
    const form = await bare?.newPage();
    if (!bare || !form) throw new Error("There is a browser.");
    await form.goto(`${at.origin}/portal/default/broken`);
    const title = form.getByLabel("What does not work?");
    await title.fill(" ");
    await form.getByRole("button", { name: "Send" }).click();
    const shown = () => form.locator("body").innerText();
    await expect.poll(shown, { timeout: LIVE_MAX_MS }).toContain("Please correct 1 answer.");
    await title.fill("The till is dark");
    await form
      .getByLabel("Pictures or files")
      .setInputFiles({ name: "till.txt", mimeType: "text/plain", buffer: Buffer.from("black") });
    await form.getByRole("button", { name: "Send" }).click();
    // Without scripts, the page cannot wait for changes.
    await expect.poll(shown, { timeout: LIVE_MAX_MS }).toContain("till.txt");
    await form.getByRole("textbox", { name: "Your reply" }).fill("Still dark.");
    await form.getByRole("button", { name: "Send" }).click();
    await expect.poll(shown, { timeout: LIVE_MAX_MS }).toContain("Still dark.");
    await bare.close();
    // Visitors who are not signed in see none of it.
    const stranger = await at.stranger();
    await stranger.page.goto(`${at.origin}/portal/default`);
    await stranger.page.waitForURL(/\/login\?from=/);
  });
});
