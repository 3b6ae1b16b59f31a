import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Ask } from "#kernel/testing/world.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, useConsole } from "./testing.ts";

const BATCH = 1_000;

type Stored = Readonly<Record<string, unknown>>;

/** All records of a table in list order, read page by page through the API. */
async function readAll(ask: Ask, slug: string, query: string): Promise<readonly Stored[]> {
  const records: Stored[] = [];
  let after = "";
  do {
    const { body } = await ask(`GET /api/v1/tables/${slug}/records?limit=200&${query}${after}`);
    records.push(...body.data);
    const { nextCursor } = body.pagination;
    after = nextCursor === null ? "" : `&after=${encodeURIComponent(nextCursor)}`;
  } while (after !== "");
  return records;
}

async function fill(ask: Ask, slug: string, records: readonly object[]): Promise<void> {
  for (let n = 0; n < records.length; n += BATCH) {
    const part = { records: records.slice(n, n + BATCH) };
    const { status } = await ask(`POST /api/v1/tables/${slug}/records/bulk`, part);
    expect(status).toBe(201);
  }
}

async function pasteText(page: Page, text: string): Promise<void> {
  await page.getByRole("grid").focus();
  await page.evaluate((plain) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", plain);
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  }, text);
}

const isSaved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor();

describeInBrowser("sheets", () => {
  const at = useConsole();

  /** Creates a table with this many rows, in a grid sorted by descending rank. */
  async function openStock(slug: string, rows: number) {
    const owner = await at.world.member(["owner"]);
    const columns = [
      { name: "name", type: "text" },
      { name: "rank", type: "integer" },
      { name: "note", type: "text" },
    ];
    await owner("POST /api/v1/tables", { name: slug, slug, columns });
    const records = Array.from({ length: rows }, (_, n) => ({
      name: `item ${n}`,
      rank: n,
      note: `old ${n}`,
    }));
    await fill(owner, slug, records);
    const read = () => readAll(owner, slug, "sort=-rank,id");
    const before = await read();
    const { page, faults } = await at.visit(["owner"]);
    await page.goto(`${at.origin}/tables/${slug}?sort=-rank`);
    await page.getByRole("gridcell", { name: `item ${rows - 1}`, exact: true }).waitFor();
    await page.getByText(`${rows.toLocaleString("en")} records`).waitFor();
    return { page, faults, read, before };
  }

  const known = ({ id, name, rank, note }: Stored) => [id, name, rank, note];

  test("pastes 5,000 cells over rows that were not loaded and beyond the last one, and undoes it", async () => {
    const rows = 2_500;
    const { page, faults, read, before } = await openStock("stock", rows);

    // Two columns of 2,500 rows, of which the first 100 are loaded, and three rows after the last.
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowRight");
    const lines = Array.from({ length: rows + 3 }, (_, n) => `${100_000 - n}\tnew ${n}`);
    await pasteText(page, lines.join("\n"));
    await page.getByText("5,006 cells pasted").waitFor();
    await isSaved(page);
    const pasted = await read();
    expect(pasted.map(({ rank, note }) => [rank, note])).toEqual(
      lines.map((_, n) => [100_000 - n, `new ${n}`]),
    );
    // Each record kept its name: no value was written to another row.
    expect(pasted.slice(0, rows).map(({ id, name }) => [id, name])).toEqual(
      before.map(({ id, name }) => [id, name]),
    );
    await page.getByRole("grid").focus();
    await page.keyboard.press("Control+z");
    await page.getByText("Undone: 5,006 cells pasted").waitFor();
    expect((await read()).map(known)).toEqual(before.map(known));
    expect(faults).toEqual([]);
  });

  test("clear, fill and delete apply to the entire selection, loaded or not, and can be undone", async () => {
    const rows = 500;
    const { page, faults, read, before } = await openStock("shelves", rows);
    await page.getByRole("grid").focus();
    for (const [keys, label, note] of [
      ["Delete", "500 cells cleared", null],
      ["Control+d", "499 cells filled", `old ${rows - 1}`],
    ] as const) {
      await page.keyboard.press("Control+Home");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Control+Shift+ArrowDown");
      await page.keyboard.press(keys);
      await page.getByText(label, { exact: true }).waitFor();
      expect(new Set((await read()).map((one) => one["note"]))).toEqual(new Set([note]));
      await page.keyboard.press("Control+z");
      await page.getByText(`Undone: ${label}`).waitFor();
      expect((await read()).map(known)).toEqual(before.map(known));
    }

    // All records are deleted in one step, and restored with their ids.
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+Delete");
    await page.getByText("500 records deleted").waitFor();
    expect(await read()).toEqual([]);
    await page.keyboard.press("Control+z");
    await page.getByText("Undone: 500 records deleted").waitFor();
    expect((await read()).map(known)).toEqual(before.map(known));
    expect(faults).toEqual([]);
  });

  test("invalid values of a paste are decided first, and a list changed by others is not overwritten", async () => {
    const owner = await at.world.member(["owner"]);
    const columns = [
      { name: "name", type: "text", required: true },
      { name: "due", type: "date" },
      { name: "state", type: "enum", options: { values: ["open", "closed"] } },
      { name: "amount", type: "integer" },
    ];
    await owner("POST /api/v1/tables", { name: "Bills", slug: "bills", columns });
    const size = 300;
    await fill(
      owner,
      "bills",
      Array.from({ length: size }, (_, n) => ({
        name: `bill ${n}`,
        amount: n,
        state: n % 3 === 0 ? "closed" : "open",
      })),
    );
    const read = () => readAll(owner, "bills", "sort=state,id");
    const before = await read();
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    const filter = encodeURIComponent('{"amount":{"gte":10}}');
    await page.goto(`${at.origin}/tables/bills?group=state&filter=${filter}`);
    await page.getByText("290 records").waitFor();
    const dialog = page.getByRole("dialog");

    // The dates are ambiguous, a state is unknown, an amount is not a number: nothing is written yet.
    const shown = before.filter(({ amount }) => Number(amount) >= 10);
    await page.getByRole("gridcell", { name: String(shown[0]?.["name"]), exact: true }).waitFor();
    const lines = shown.map(({ name }, n) =>
      [name, "03/04/2026", n === 5 ? "lost" : "closed", n === 7 ? "many" : String(1_000 + n)].join(
        "\t",
      ),
    );
    await page.getByRole("grid").focus();
    await page.keyboard.press("Control+Home");
    await pasteText(page, lines.join("\n"));
    await dialog.getByText("Select the date order").waitFor();
    await dialog.getByRole("radio", { name: "Day first: 2026-04-03" }).check();
    await expectSound(visitor);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByText("2 cells can't be pasted").waitFor();
    await dialog.getByRole("cell", { name: "lost", exact: true }).waitFor();
    await dialog.getByRole("cell", { name: "many", exact: true }).waitFor();
    expect(await read()).toEqual(before);
    await dialog.getByRole("button", { name: "Paste the other 1,158" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const byId = async () => new Map((await read()).map((one) => [one["id"], one]));
    const written = await byId();
    expect(
      shown
        .map(({ id }) => written.get(id))
        .map((one) => [one?.["due"], one?.["state"], one?.["amount"]]),
    ).toEqual(
      shown.map(({ state, amount }, n) => [
        "2026-04-03",
        n === 5 ? state : "closed",
        n === 7 ? amount : 1_000 + n,
      ]),
    );
    const others = before.filter(({ amount }) => Number(amount) < 10);
    expect(others.map(({ id }) => written.get(id))).toEqual(others);
    // Another user adds a record at the top: rows that are not loaded have moved.
    await page.goto(`${at.origin}/tables/bills?sort=-amount`);
    await page.getByText("300 records").waitFor();
    await page.getByRole("gridcell", { name: "1,289", exact: true }).waitFor();
    await owner("POST /api/v1/tables/bills/records", { name: "first", amount: 9_999 });
    await page.getByText("1 new record: show").waitFor();
    const now = await read();
    const names = Array.from({ length: 250 }, (_, n) => `renamed ${n}`);
    await page.getByRole("grid").focus();
    await pasteText(page, names.join("\n"));
    await page.getByText(/^The list changed after it was loaded, so nothing was changed/).waitFor();
    expect(await read()).toEqual(now);
    await page.getByRole("gridcell", { name: "9,999", exact: true }).waitFor();
    await page.getByRole("grid").focus();
    await pasteText(page, names.join("\n"));
    await page.getByText("250 cells pasted").waitFor();
    const listed = await readAll(owner, "bills", "sort=-amount,id");
    expect(listed.slice(0, 250).map(({ name }) => name)).toEqual(names);
    expect(visitor.faults).toEqual([]);
  });

  test("computed values appear immediately: of pasted references, new columns, and changes elsewhere", async () => {
    const owner = await at.world.member(["owner"]);
    await owner("POST /api/v1/tables", {
      name: "Firms",
      slug: "firms",
      columns: [
        { name: "name", type: "text" },
        { name: "city", type: "text" },
      ],
    });
    const { body: firm } = await owner("POST /api/v1/tables/firms/records", {
      name: "Acme",
      city: "Lisbon",
    });
    await owner("POST /api/v1/tables", {
      name: "Sales",
      slug: "sales",
      columns: [
        { name: "title", type: "text" },
        { name: "firm", type: "reference", options: { table: "firms" } },
        { name: "total", type: "integer" },
        { name: "city", type: "lookup", options: { path: "firm.city" } },
        { name: "twice", type: "formula", options: { expression: "total * 2" } },
      ],
    });
    await fill(owner, "sales", [
      { title: "one", total: 3 },
      { title: "two", total: 4 },
    ]);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    const cell = (text: string) => page.getByRole("gridcell", { name: text, exact: true });
    await page.goto(`${at.origin}/tables/sales`);
    await cell("one").waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowRight");
    await pasteText(page, "Acme\t50\nAcme\t60");
    await expect.poll(() => cell("Acme").count()).toBe(2);
    await expect.poll(() => cell("Lisbon").count()).toBe(2);
    await cell("100").waitFor();
    await cell("120").waitFor();
    // Another user changes the referenced record.
    await owner(`PATCH /api/v1/tables/firms/records/${firm.data.id}`, {
      name: "Acme Ltd",
      city: "Porto",
    });
    await expect.poll(() => cell("Acme Ltd").count()).toBe(2);
    await expect.poll(() => cell("Porto").count()).toBe(2);
    // Columns added by others are filled, and update with the linked records.
    const linked = (text: string) => page.getByRole("gridcell").filter({ hasText: text });
    await page.goto(`${at.origin}/tables/firms`);
    await cell("Acme Ltd").waitFor();
    const { body: table } = await owner("GET /api/v1/tables/firms");
    await owner("PATCH /api/v1/tables/firms", {
      addColumns: [
        { name: "sales", type: "backlinks", options: { table: "sales", column: "firm" } },
        {
          name: "sold",
          type: "rollup",
          options: { via: "sales", function: "sum", field: "total" },
        },
      ],
      revision: table.data.revision,
    });
    await cell("110").waitFor();
    await linked("onetwo").waitFor();
    const { body: sales } = await owner("GET /api/v1/tables/sales/records?sort=id");
    await owner(`PATCH /api/v1/tables/sales/records/${sales.data[0].id}`, {
      total: 5,
      title: "uno",
    });
    await cell("65").waitFor();
    await linked("unotwo").waitFor();
    await owner("POST /api/v1/tables/sales/records", {
      title: "three",
      firm: firm.data.id,
      total: 7,
    });
    await cell("72").waitFor();
    await linked("unotwothree").waitFor();
    expect(await page.getByText(/rec_0/).count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });
});
