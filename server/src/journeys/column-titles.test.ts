import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { useConsole } from "./testing.ts";

const TITLES = ["SKU", "E-Mail", "Order #", "Price €"];
const LINE = ["A-1", "ada@example.com", "X 7", "2.50"];
const WRONG = ["A-2", "bob@example.com", "X 8", "cheap"];

describeInBrowser("titles of columns", () => {
  const at = useConsole({ work: true });

  const columnsOf = async (slug: string): Promise<[string, string][]> => {
    const owner = await at.world.member(["owner"]);
    const { columns } = (await owner(`GET /api/v1/tables/${slug}`)).body.data;
    return columns.map(({ name, title }: { name: string; title: string }) => [name, title]);
  };
  const EXPECTED = [
    ["sku", "SKU"],
    ["email", "E-Mail"],
    ["order", "Order #"],
    ["price", "Price €"],
  ];

  test("shows file header titles in grids, forms and apps, and changes a title without changing the name", async () => {
    const { page } = await at.visit(["admin"]);
    await page.goto(`${at.origin}/imports`);
    await page.getByLabel("File to import").setInputFiles({
      name: "stock.csv",
      mimeType: "text/csv",
      buffer: Buffer.from([TITLES, LINE, WRONG].map((cells) => cells.join(",")).join("\n")),
    });
    for (const title of TITLES) {
      await page.getByLabel(`Title of ${title}`, { exact: true }).waitFor();
    }
    await page.getByLabel("Type of Price €").selectOption("decimal");
    await page
      .getByRole("button", { name: /^(Import|Start)/ })
      .first()
      .click();
    await expect
      .poll(() => columnsOf("stock").catch(() => []), { timeout: 30_000 })
      .toEqual(EXPECTED);
    await page.getByRole("cell", { name: /^Price € / }).waitFor();

    await page.goto(`${at.origin}/tables/stock`);
    for (const title of TITLES) {
      await page.getByRole("columnheader", { name: title }).waitFor();
    }

    const owner = await at.world.member(["owner"]);
    const app = await owner("POST /api/v1/apps/scaffold", { table: "stock" });
    const text = JSON.stringify(app.body.data);
    for (const title of TITLES) expect(text).toContain(`"label":"${title}"`);

    await page.goto(`${at.origin}/tables/stock/design?column=order`);
    const dialog = page.getByRole("dialog", { name: "Column Order #" });
    await dialog.getByLabel("Title", { exact: true }).fill("Order №");
    expect(await dialog.getByLabel("API name").inputValue()).toBe("order");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect((await columnsOf("stock"))[2]).toEqual(["order", "Order №"]);
  });

  test("the titles of pasted cells are kept", async () => {
    const { page } = await at.visit(["admin"]);
    await page.goto(`${at.origin}/tables`);
    await page.getByRole("button", { name: "New table" }).first().click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Pasted");
    await page
      .getByLabel("Spreadsheet cells")
      .fill([TITLES, LINE].map((cells) => cells.join("\t")).join("\n"));
    await page.getByRole("button", { name: /^(Create it with 1 record|Import 1 row)/ }).click();
    await expect.poll(() => columnsOf("pasted").catch(() => [])).toEqual(EXPECTED);
    await page.goto(`${at.origin}/tables/pasted`);
    for (const title of TITLES) {
      await page.getByRole("columnheader", { name: title }).waitFor();
    }
    expect(await columnsOf("pasted")).toEqual(EXPECTED);
    const owner = await at.world.member(["owner"]);
    const { body } = await owner("GET /api/v1/tables/pasted/records");
    expect(body.data).toMatchObject([{ sku: "A-1", email: "ada@example.com", order: "X 7" }]);
  });

  test("the form page, the running app and a dashboard widget show titles", async () => {
    const { page } = await at.visit(["admin"]);
    const owner = await at.world.member(["owner"]);
    const made = async (route: string, body: object = {}) => {
      const answer = await owner(`POST ${route}`, body);
      expect(answer.body.errors ?? answer.status).toBeLessThan(300);
      return answer.body.data;
    };
    const types = ["text", "email", "text", "decimal"];
    const columns = TITLES.map((title, n) => ({ title, type: types[n] }));
    const rule = { roles: ["*"], actions: ["read", "create"] };
    await made("/api/v1/tables", { name: "Goods", slug: "goods", columns, rules: [rule] });
    expect(await columnsOf("goods")).toEqual(EXPECTED);
    const recordsOf = async () => (await owner("GET /api/v1/tables/goods/records")).body.data;
    const fillIn = async (texts: readonly string[]) => {
      for (const [n, title] of TITLES.entries()) {
        const whole = page.getByLabel(title, { exact: true });
        // The form page marks optional fields.
        const label = whole.or(page.getByLabel(`${title} (optional)`, { exact: true }));
        await label.fill(texts[n] ?? "");
      }
    };

    const fields = EXPECTED.map(([name]) => ({ name }));
    const view = await made("/api/v1/table-views", {
      table: "goods",
      name: "Ask",
      kind: "form",
      form: { fields },
    });
    const { publicKey } = await made(`/api/v1/table-views/${view.id}/publish`);
    await page.goto(`${at.origin}/forms/${publicKey}`);
    await fillIn(LINE);
    await page.getByRole("button", { name: "Submit" }).click();
    await expect
      .poll(recordsOf)
      .toMatchObject([{ sku: "A-1", email: "ada@example.com", order: "X 7", price: 2.5 }]);

    const { name, pages, dataSources } = await made("/api/v1/apps/scaffold", { table: "goods" });
    const app = await made("/api/v1/apps", { name, slug: "goods", pages, dataSources });
    await made(`/api/v1/apps/${app.id}/deploy`);
    await page.goto(`${at.origin}/apps/default/goods`);
    for (const title of TITLES) await page.getByRole("columnheader", { name: title }).waitFor();
    await page.getByRole("button", { name: "New good" }).click();
    await fillIn(["B-2", "bo@example.com", "Y 8", "4"]);
    await page.getByRole("button", { name: "Create" }).click();
    await expect.poll(async () => (await recordsOf()).length).toBe(2);

    const report = {
      source: { kind: "records", table: "goods" },
      groupBy: ["sku"],
      aggregates: [{ fn: "sum", field: "price" }],
      chart: { type: "table" },
    };
    const dashboard = await made("/api/v1/analytics/dashboards", {
      name: "Stock",
      widgets: [{ report }],
    });
    await page.goto(`${at.origin}/dashboards/${dashboard.id}`);
    await page.getByRole("heading", { name: "Sum of Price € by SKU" }).waitFor();
    for (const title of ["SKU", "Sum of Price €"]) {
      await page.getByRole("columnheader", { name: title, exact: true }).waitFor();
    }
    await page.getByRole("button", { name: /2\.5/ }).first().click();
    const sheet = page.getByRole("complementary", { name: /^Rows behind/ });
    await sheet.getByText("SKU: A-1").waitFor();
    for (const title of TITLES) {
      await sheet.getByRole("columnheader", { name: title, exact: true }).waitFor();
    }
    await sheet.getByRole("button", { name: "Filter by this" }).click();
    await page.getByRole("button", { name: "Remove the filter SKU" }).waitFor();
  });
});
