import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, expectSoundInEveryLook, useConsole, moveTo } from "./testing.ts";

describeInBrowser("apps", () => {
  const at = useConsole();

  test("a builder creates an app for a table without JSON, publishes it, and a colleague uses it live on a phone", async () => {
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

    // One selection creates a working app.
    const { page } = visitor;
    await page.goto(`${at.origin}/builder`);
    await page.getByRole("button", { name: "New app" }).first().click();
    await page
      .getByRole("option", { name: /Orders/ })
      .first()
      .click();
    const stage = page.frameLocator("iframe[title='App preview']");
    await stage.getByText("Oak desk").waitFor();

    // A chart over all records, and a button that starts a workflow.
    const add = async (kind: string): Promise<void> => {
      await page.getByRole("button", { name: "Add component" }).click();
      await page.getByRole("combobox", { name: "Add component" }).fill(kind);
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

    // Undo and redo, the preview as another role, and full screen work.
    await page.getByRole("main").getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Redo" }).click();
    await page.getByRole("combobox", { name: "Preview as" }).selectOption("viewer");
    await stage.getByText("Oak desk").waitFor();
    await expectSoundInEveryLook(visitor);
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    const openTables = page.getByRole("note", { name: "Tables without access rules" });
    await openTables.getByText(/^Orders\. \d+ members? can read all records/).waitFor();
    await page.getByRole("button", { name: "Publish to production" }).click();
    await page.getByText(/published to production as version/).waitFor();

    // A colleague on a phone sees it, adds a record, starts the workflow, and sees a live change.
    const colleague = await at.visit(["agent"], { width: 400 });
    const app = colleague.page;
    await app.goto(`${at.origin}/apps/default/orders`);
    await app.getByRole("button", { name: "New order" }).click();
    await app.getByLabel("Title").fill("Rug");
    await app.getByRole("button", { name: "Create" }).click();
    await app.getByRole("button", { name: "Rug", exact: true }).waitFor();
    await expectSound(colleague);
    await app.getByRole("button", { name: "Button", exact: true }).click();
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

    // An archived app cannot be opened; the toast and the list can restore it.
    await moveTo(page, `${at.origin}/builder`);
    const act = async (name: string): Promise<void> => {
      await page.getByRole("button", { name: "Actions for Orders" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    await act("Archive");
    await page.getByText("1 archived app").waitFor();
    expect((await app.request.get(`${at.origin}/apps/default/orders`)).status()).toBe(404);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("1 archived app").waitFor({ state: "detached" });
    await act("Archive");
    await page.getByText("1 archived app").click();
    await act("Restore");
    await page.getByText("Orders restored.").waitFor();
    expect((await app.request.get(`${at.origin}/apps/default/orders`)).status()).toBe(200);
    await expectSound(visitor);
  });

  test("a user creates three linked tables from a spreadsheet, a board, a public form, an app and a dashboard in one session", async () => {
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    const dialog = page.getByRole("dialog");
    const makeTable = async (name: string, lines: readonly string[]): Promise<void> => {
      await moveTo(page, `${at.origin}/tables`);
      await page.getByRole("button", { name: "New table" }).first().click();
      await dialog.getByLabel("Name", { exact: true }).fill(name);
      await page.getByLabel("Spreadsheet cells").fill(lines.join("\n"));
      await page.getByRole("button", { name: /^Import \d+ row/ }).click();
      await page.getByRole("link", { name: "Open table" }).click();
      await page.getByRole("grid").waitFor();
    };
    const link = async (name: string, target: string): Promise<void> => {
      await page.getByRole("button", { name: "Add column" }).click();
      await dialog.getByLabel("Title", { exact: true }).fill(name);
      await dialog.getByLabel("Type", { exact: true }).selectOption("reference");
      await dialog.getByLabel("Refers to").selectOption({ label: target });
      await dialog.getByRole("button", { name: "Add column" }).click();
      await page.getByRole("button", { name: `Column ${name}` }).waitFor();
    };
    const addView = async (name: string, kind: string): Promise<void> => {
      await page.getByRole("button", { name: "Save as new view" }).click();
      await dialog.getByLabel("Name", { exact: true }).fill(name);
      await dialog.getByLabel("Type").selectOption(kind);
      await dialog.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("tab", { name, selected: true }).waitFor();
    };

    // Three tables of a spreadsheet, each with a reference to the previous one.
    await makeTable("Clients", ["Name\tCity", "Ada\tLondon", "Grace\tOslo"]);
    await makeTable("Projects", ["Title\tBudget", "Bridge\t1200", "Tunnel\t3400"]);
    await link("Client", "Clients");
    const stages = ["open", "open", "done", "done", "open", "done"];
    const lines = stages.map((stage, n) => `Job ${n}\t${stage}\t${n + 1}`);
    await makeTable("Jobs", ["Title\tStage\tHours", ...lines]);
    await link("Project", "Projects");

    // A board view, and a public form.
    await addView("By stage", "board");
    await page.getByText("Job 0").first().waitFor();
    await page.getByRole("tab").first().click();
    await addView("Ask for a job", "form");
    await page.getByRole("button", { name: "Save form" }).click();
    await page.getByRole("button", { name: "Publish form" }).click();
    const address = await page.getByRole("link", { name: "Open form" }).getAttribute("href");
    const stranger = await at.stranger({ width: 400 });
    await stranger.page.goto(address ?? "");
    await stranger.page.getByLabel(/^Title/).fill("From outside");
    await stranger.page.getByRole("button").last().click();
    await expect
      .poll(async () => {
        const owner = await at.world.member(["owner"]);
        return (await owner("GET /api/v1/tables/jobs/records?q=outside")).body.data.length;
      })
      .toBe(1);

    // A published app with the names of references.
    await moveTo(page, `${at.origin}/builder`);
    await page.getByRole("button", { name: "New app" }).first().click();
    await page.getByRole("option", { name: /Jobs/ }).first().click();
    const stage = page.frameLocator("iframe[title='App preview']");
    await stage.getByText("From outside").waitFor();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("button", { name: "Publish to production" }).click();
    await page.getByText(/published to production as version/).waitFor();

    // Public: a visitor sees it, but no names of people.
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("radio", { name: "Anyone with the link" }).click();
    await page.getByText(/Anyone with the link can open/).waitFor();
    await expectSound(visitor);
    await page.keyboard.press("Escape");
    await stranger.page.goto(`${at.origin}/apps/default/jobs`);
    await stranger.page.getByText("From outside").first().waitFor();
    expect(await stranger.page.getByText("Sign out").count()).toBe(0);
    await expectSound(stranger);

    // And a dashboard that counts.
    await moveTo(page, `${at.origin}/dashboards`);
    await page.getByRole("button", { name: "New dashboard" }).first().click();
    await page.getByRole("button", { name: "Add tile", exact: true }).click();
    const source = page.getByRole("combobox", { name: "Source" });
    await source.click();
    await source.fill("jobs");
    await page.getByRole("option", { name: /jobs/i }).first().click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("7", { exact: true }).first().waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
