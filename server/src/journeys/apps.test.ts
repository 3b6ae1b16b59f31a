import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, expectSoundInEveryLook, useConsole } from "./testing.ts";

describeInBrowser("apps", () => {
  const at = useConsole();

  test("a person makes an app of a table without JSON, publishes it, and a colleague uses it on a telephone, live", async () => {
    const visitor = await at.visit(["owner"]);
    const owner = await at.world.member(["owner"]);
    const columns = [
      { name: "title", type: "text", required: true },
      { name: "status", type: "enum", options: { values: ["open", "done"] } },
    ];
    const rows = ["Oak desk", "Wall lamp"].map((title) => ({ title, status: "open" }));
    await owner("POST /api/v1/tables", { name: "Orders", slug: "orders", columns });
    await owner("POST /api/v1/tables/orders/records/bulk", { records: rows });
    const workflow = (
      await owner("POST /api/v1/workflows", {
        name: "Ship it",
        trigger: { type: "manual" },
        nodes: [{ id: "ok", type: "set", config: { values: { ok: true } } }],
        edges: [],
      })
    ).body.data;
    await owner(`POST /api/v1/workflows/${workflow.id}/publish`, {});

    // One choice makes an app that works.
    const { page } = visitor;
    await page.goto(`${at.origin}/builder`);
    await page.getByRole("button", { name: "App", exact: true }).first().click();
    await page
      .getByRole("option", { name: /Orders/ })
      .first()
      .click();
    const stage = page.frameLocator("iframe[title='Preview of the app']");
    await stage.getByText("Oak desk").waitFor();

    // A chart over all records, and a button that starts a workflow.
    const add = async (kind: string): Promise<void> => {
      await page.getByRole("button", { name: "Component" }).click();
      await page.getByRole("combobox", { name: "Add a component" }).fill(kind);
      await page.keyboard.press("Enter");
    };
    await add("Chart");
    await stage.getByRole("img", { name: /^By status\. open: 2/ }).waitFor();
    await add("Button");
    const side = page.getByRole("complementary", { name: "Properties" });
    await side.getByRole("combobox", { name: "Action" }).selectOption("run_workflow");
    const picker = side.getByRole("combobox", { name: "Workflow" });
    await picker.fill("Ship");
    await page.getByRole("option", { name: "Ship it" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();

    // A step back and forth, the preview as somebody else, and the whole screen is sound.
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Redo" }).click();
    await page.getByRole("combobox", { name: "Preview as" }).selectOption("viewer");
    await stage.getByText("Oak desk").waitFor();
    await expectSoundInEveryLook(visitor);
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("button", { name: "Publish to production" }).click();
    await page.getByText(/is published in production/).waitFor();

    // A colleague on a telephone: sees it, adds to it, starts the workflow, and hears of a change.
    const colleague = await at.visit(["agent"], { width: 400 });
    const app = colleague.page;
    await app.goto(`${at.origin}/apps/default/orders`);
    await app.getByRole("button", { name: "New order" }).click();
    await app.getByLabel("Title").fill("Rug");
    await app.getByRole("button", { name: "Create" }).click();
    await app.getByRole("button", { name: "Rug", exact: true }).waitFor();
    await expectSound(colleague);
    await app.getByRole("button", { name: "Do it" }).click();
    await expect
      .poll(
        async () => (await owner(`GET /api/v1/runs?workflowId=${workflow.id}`)).body.data.length,
      )
      .toBe(1);
    await owner("POST /api/v1/tables/orders/records", { title: "Side table", status: "done" });
    await app.getByRole("button", { name: "Side table", exact: true }).waitFor();
    await app.getByRole("button", { name: "Side table", exact: true }).click();
    await app.getByRole("button", { name: "Delete" }).click();
    await app.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await app.waitForURL(/\/apps\/default\/orders$/);
    await app.getByRole("button", { name: "Rug", exact: true }).waitFor();
    expect(await app.getByText("Side table").count()).toBe(0);
  });
});
