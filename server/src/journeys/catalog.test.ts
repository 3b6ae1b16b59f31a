import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, useConsole } from "./testing.ts";

describeInBrowser("catalog", () => {
  const at = useConsole();

  test("a form with a condition and a file is built with the keyboard, submitted in the portal and shown at the desk", async () => {
    const builder = await at.visit(["builder"]);
    const { page } = builder;
    await page.goto(`${at.origin}/catalog`);
    await page.getByText("No catalog items yet").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("textbox", { name: "Name" }).fill("Laptop");
    const add = async (type: string, question: string): Promise<void> => {
      await page.getByRole("button", { name: "Add field" }).press("Enter");
      await page.getByRole("menuitem", { name: type, exact: true }).press("Enter");
      await page.getByRole("textbox", { name: "Question" }).fill(question);
    };
    await add("Single select", "Model");
    await page.getByRole("textbox", { name: "Options" }).fill("Light\nStrong");
    await add("Text", "Why a strong one?");
    await page.getByRole("combobox", { name: "Depends on field" }).selectOption("model");
    await page.getByRole("combobox", { name: "Value", exact: true }).selectOption("Strong");
    await add("Files", "Quote");
    await page.locator("#field-quote").press("Alt+ArrowUp");
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("Quote").waitFor();
    expect(await preview.getByText("Why a strong one?").count()).toBe(0);
    await preview.getByText("Strong", { exact: true }).click();
    await preview.getByText("Why a strong one?").waitFor();
    await expectSound(builder);
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByText("Published").first().waitFor();

    const requester = await at.visit(["requester"], { width: 400 });
    const portal = requester.page;
    await portal.goto(`${at.origin}/portal`);
    await portal.getByRole("link", { name: /Laptop/ }).click();
    await portal.getByText("Strong", { exact: true }).click();
    await portal.getByLabel(/Why a strong one/).fill("Films");
    await portal
      .getByLabel("Select file")
      .setInputFiles({ name: "quote.txt", mimeType: "text/plain", buffer: Buffer.from("999") });
    await portal.getByText("quote.txt").waitFor();
    await expectSound(requester);
    await portal.getByRole("button", { name: "Send" }).click();
    await portal.waitForURL(/\/tickets\/REQ\d+$/);
    const agent = await at.world.member(["agent"]);
    const { body } = await agent(`GET /api/v1/catalog/requests/${portal.url().split("/").at(-1)}`);
    expect(body.data).toMatchObject({
      title: "Laptop",
      // Fields are named by their titles until they are saved.
      values: {
        model: "Strong",
        why_a_strong_one: "Films",
        quote: [expect.stringMatching(/^file_/)],
      },
    });
  });

  test("an item is approved by the manager and then by a role, and both see all steps and comments", async () => {
    const owner = await at.world.member(["owner"]);
    const builder = await at.visit(["owner"]);
    const { page } = builder;
    await page.goto(`${at.origin}/catalog`);
    await page.getByRole("button", { name: /New item/ }).waitFor();
    await page.keyboard.press("n");
    await page.getByRole("textbox", { name: "Name" }).fill("VPN access");
    await page.getByLabel("Requires approval").check();
    const choose = async (step: string, words: string, option: string): Promise<void> => {
      const box = page.getByRole("group", { name: step }).getByRole("combobox");
      await box.fill(words);
      await page.getByRole("option", { name: option }).click();
    };
    await choose("Approvers", "manager", "Manager of the requester");
    await page.getByRole("button", { name: "Add step" }).click();
    await choose("Approvers of step 2", "agent", "Agent");
    await page.getByLabel("Approvals needed of step 2").selectOption("all");
    await page.getByLabel("Remind approvers every").fill("24");
    await expectSound(builder);
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByText("Published").first().waitFor();
    const items = await owner("GET /api/v1/catalog/items?q=VPN");
    const [item] = items.body.data;
    expect(item.approval).toEqual({
      required: true,
      approverIds: [],
      rule: "any",
      steps: [
        { approvers: [{ kind: "manager" }], rule: "any" },
        { approvers: [{ kind: "role", id: "agent" }], rule: "all" },
      ],
      remindAfterHours: 24,
    });

    const manager = await at.visit(["member"]);
    const asker = await at.world.member(["requester"]);
    const agent = await at.world.member(["agent"]);
    const report = { managerId: manager.userId };
    await owner(`PATCH /api/v1/settings/users/${asker.userId}`, report);
    const draft = { itemId: item.id, values: {} };
    const { body } = await asker("POST /api/v1/catalog/requests", draft);
    await manager.page.goto(`${at.origin}/approvals`);
    const steps = manager.page.getByRole("list", { name: "Approval" });
    await steps.getByText(/Manager \(/).waitFor();
    await steps.getByText("Role Agent").waitFor();
    await expectSound(manager);
    await manager.page.getByRole("link", { name: "Review" }).click();
    await manager.page.getByRole("button", { name: "Approve" }).click();
    const dialog = manager.page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: /Comment/ }).fill("He travels");
    await dialog.getByRole("button", { name: "Approve" }).click();
    await manager.page.getByText("approved a step: He travels").waitFor();
    const request = `/api/v1/catalog/requests/${body.data.id}`;
    expect((await agent(`POST ${request}/approve`, {})).status).toBe(200);
    expect((await owner(`GET ${request}`)).body.data.state).toBe("fulfilling");
  });
});
