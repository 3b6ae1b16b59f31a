import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectFocusKept, expectSound, useConsole, moveTo } from "./testing.ts";

describeInBrowser("tables", () => {
  const at = useConsole();

  test("a user creates a table from a spreadsheet, types and pastes, filters, saves a view, sees a colleague's change, undoes", async () => {
    const visitor = await at.visit(["builder"]);
    const colleague = await at.world.member(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/tables`);
    await page.getByRole("button", { name: "New table" }).first().click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Parts");
    await page.getByRole("dialog").getByText("A new table has no access rules.").waitFor();
    const lines = Array.from(
      { length: 8 },
      (_, n) => `Bolt ${n}\t${n},50\t${n % 2 ? "steel" : "brass"}`,
    );
    await page.getByLabel("Spreadsheet cells").fill(["Title\tPrice\tMetal", ...lines].join("\n"));
    // No characters are lost unless the user agrees.
    const asNumber = page.getByRole("button", { name: "Change type to decimal" });
    await page.getByText("0,50 → 0.50").waitFor();
    await asNumber.click();
    await page.getByRole("button", { name: "Import 8 rows" }).click();
    await page.getByRole("link", { name: "Open table" }).click();
    const grid = page.getByRole("grid");
    const cell = (text: string) => grid.getByRole("gridcell", { name: text, exact: true });
    await cell("Bolt 7").waitFor();

    // Types into a cell, with the keyboard only.
    await grid.focus();
    await page.keyboard.type("Washer");
    await page.keyboard.press("Enter");
    await cell("Washer").waitFor();

    // Pastes cells of a spreadsheet over two records and beyond the last one.
    await page.keyboard.press("Control+End");
    await page.keyboard.press("Home");
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "Nut 1\t1.25\nNut 2\t2.25");
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    });
    await cell("Nut 2").waitFor();
    await page.getByText("9 records").waitFor();
    await page.getByText("Saved", { exact: true }).waitFor();
    await expectSound(visitor);

    // A colleague's change appears live.
    const filter = encodeURIComponent('{"title":"Bolt 3"}');
    const { body } = await colleague(`GET /api/v1/tables/parts/records?filter=${filter}`);
    await colleague(`PATCH /api/v1/tables/parts/records/${body.data[0].id}`, { title: "Rivet" });
    await cell("Rivet").waitFor();

    // One undo reverts the entire paste.
    await grid.focus();
    await page.keyboard.press("Control+z");
    await cell("Bolt 7").waitFor();
    await page.getByText("8 records").waitFor();

    // A filter becomes a view that has an address.
    await page.getByRole("button", { name: "Column Metal" }).click();
    await page.getByRole("menuitem", { name: "Filter by this column" }).click();
    await page.getByRole("button", { name: "Filter: 1 in use" }).waitFor();
    await page.getByRole("button", { name: "Save as new view" }).click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Of one metal");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("tab", { name: "Of one metal", selected: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("view")).toMatch(/^tvw_/);
  });

  test("two users edit one grid: changes appear for both, and five thousand cells are pasted at once", async () => {
    const owner = await at.world.member(["owner"]);
    const columns = ["a", "b", "c", "d", "e"].map((name) => ({ name, type: "text" }));
    await owner("POST /api/v1/tables", { name: "Shared", slug: "shared", columns });
    await owner("POST /api/v1/tables/shared/records/bulk", {
      records: [{ a: "one" }, { a: "two" }],
    });
    const [ada, bo] = await Promise.all([at.visit(["builder"]), at.visit(["builder"])]);
    await Promise.all([ada, bo].map(({ page }) => page.goto(`${at.origin}/tables/shared`)));
    const cellOf = ({ page }: { page: typeof ada.page }, text: string) =>
      page.getByRole("gridcell", { name: text, exact: true });
    await Promise.all([cellOf(ada, "two").waitFor(), cellOf(bo, "two").waitFor()]);

    await ada.page.getByRole("grid").focus();
    await ada.page.keyboard.type("from Ada");
    await ada.page.keyboard.press("Enter");
    await cellOf(bo, "from Ada").waitFor();
    await bo.page.getByRole("grid").focus();
    await bo.page.keyboard.press("ArrowDown");
    await bo.page.keyboard.type("from Bo");
    await bo.page.keyboard.press("Enter");
    // Bo's presence is shown next to the value, and is not part of it.
    await ada.page.locator(".grid-other").waitFor();
    await cellOf(ada, "from Bo").waitFor();

    // Ada is on the second record; the paste starts there and continues far beyond the last.
    await ada.page.evaluate(() => {
      const clipboardData = new DataTransfer();
      const lines = Array.from({ length: 1_000 }, (_, n) =>
        ["a", "b", "c", "d", "e"].map((name) => `${name}${n}`).join("\t"),
      );
      clipboardData.setData("text/plain", lines.join("\n"));
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    });
    await ada.page.getByText("1,001 records").waitFor();
    const lastOf = async (): Promise<unknown> => {
      const { body } = await owner(
        "GET /api/v1/tables/shared/records?limit=1&count=exact&sort=-id",
      );
      return [body.pagination.total, body.data[0]?.a, body.data[0]?.e];
    };
    await expect.poll(lastOf, { timeout: 60_000 }).toEqual([1_001, "a999", "e999"]);
    expect([...ada.faults, ...bo.faults]).toEqual([]);
  });

  test("changes of a ticket and a record are undone from toast and timeline, or the reason is shown, and past states are visible", async () => {
    const visitor = await at.visit(["owner"]);
    const owner = await at.world.member(["owner"]);
    const { page } = visitor;
    const { body } = await owner("POST /api/v1/itsm/incidents", { title: "Printer", impact: 2 });
    const ticket = `/api/v1/itsm/incidents/${body.data.id}`;
    const impactIs = (level: number) =>
      expect.poll(async () => (await owner(`GET ${ticket}`)).body.data.impact).toBe(level);
    await page.goto(`${at.origin}/desk/incidents/${body.data.number}`);
    const setImpact = async (from: string, to: string): Promise<void> => {
      await page.getByRole("button", { name: `Impact: ${from}` }).click();
      await page.getByRole("menuitem", { name: to }).click();
    };
    const toast = page.getByRole("status").filter({ has: page.locator(".toast") });
    const undo = toast.getByRole("button", { name: "Undo", exact: true });
    await setImpact("Medium", "High");
    await toast.getByText("impact set to High").waitFor();
    await undo.click();
    await toast.getByText("Undone: 1 change.").waitFor();
    await page.getByRole("button", { name: "Impact: Medium" }).waitFor();
    await impactIs(2);
    await toast.getByRole("button", { name: "Redo", exact: true }).click();
    await toast.getByText("Redone: 1 change.").waitFor();
    await impactIs(1);
    await undo.last().click();
    await impactIs(2);
    await page.getByRole("button", { name: "Impact: Medium" }).waitFor();

    // Another user changed it in the meantime: their change stays, and the field shows it.
    await setImpact("Medium", "Low");
    await toast.getByText("impact set to Low").waitFor();
    await owner(`PATCH ${ticket}`, { impact: 1 });
    await page.keyboard.press("Shift+U");
    await toast.getByText("Nothing was undone.").waitFor();
    await toast.getByText(/^Impact .*changed/).waitFor();
    await impactIs(1);

    // The timeline undoes the colleague's change, and shows the previous state.
    const entry = page
      .getByRole("listitem")
      .filter({ hasText: "changed the impact from low to high" });
    await entry.getByRole("button", { name: "Undo" }).click();
    await impactIs(3);
    await entry.getByRole("button", { name: /View the state/ }).click();
    await page.getByText(/^Version of/).waitFor();
    const past = page.getByRole("region", { name: "Activity" });
    await past.getByText("High", { exact: true }).waitFor();
    const acts = page
      .getByRole("main")
      .getByRole("button", { name: /^(Impact|Undo|Resolve|Send)/ });
    expect(await acts.count()).toBe(0);
    await expectSound(visitor);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Impact: Low" }).waitFor();
    await expectFocusKept(page, "section.ticket");

    // A record is restored with its id, so references to it work again.
    const columns = [{ name: "name", type: "text" }];
    await owner("POST /api/v1/tables", { name: "Pets", slug: "pets", columns });
    const records = [{ name: "Rex" }, { name: "Minka" }];
    await owner("POST /api/v1/tables/pets/records/bulk", { records });
    const idsOf = async (): Promise<readonly string[]> => {
      const listed = await owner("GET /api/v1/tables/pets/records?sort=id");
      return listed.body.data.map(({ id }: { readonly id: string }) => id);
    };
    const [rex, minka] = await idsOf();
    await page.goto(`${at.origin}/tables/pets`);
    await page.getByRole("gridcell", { name: "Rex", exact: true }).waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("Control+Delete");
    await expect.poll(idsOf).toEqual([minka]);
    await toast.getByText("Record deleted").waitFor();
    await undo.click();
    await expect.poll(idsOf).toEqual([rex, minka]);
    await page.getByRole("gridcell", { name: "Rex", exact: true }).waitFor();

    // A record that has changed is shown in its past state, in its panel.
    await owner(`PATCH /api/v1/tables/pets/records/${rex}`, { name: "Rexona" });
    await moveTo(page, `${at.origin}/tables/pets?open=${rex}`);
    await page.getByRole("tab", { name: "History" }).click();
    const made = page.getByRole("listitem").filter({ hasText: "created this record" });
    await made.getByRole("button", { name: /View the state/ }).click();
    const panel = page.getByRole("complementary", { name: "Earlier version of record Rex" });
    await panel.getByText("Read-only.").waitFor();
    await expectSound(visitor);
    await panel.getByRole("button", { name: "Back to current version" }).click();
    await page.getByRole("complementary", { name: "Record Rexona" }).waitFor();
    await expectFocusKept(page, "aside.record-panel");
  });

  test("a user queries with SQL, fixes an error at its position, draws and saves; and previews a table as another role", async () => {
    const visitor = await at.visit(["owner"]);
    const owner = await at.world.member(["owner"]);
    const { page } = visitor;
    await owner("POST /api/v1/tables", {
      name: "Sales",
      slug: "sales",
      columns: [
        { name: "region", type: "text" },
        { name: "amount", type: "integer" },
      ],
    });
    const records = [3, 5, 7].map((amount) => ({ region: amount > 3 ? "north" : "south", amount }));
    await owner("POST /api/v1/tables/sales/records/bulk", { records });
    await page.goto(`${at.origin}/sql`);
    const editor = page.getByRole("textbox", { name: "SQL statement" });
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(
      "select region, sum(amont) as total from sales where amount > $1 group by 1 order by 2",
    );
    await page.getByLabel("Value of p1").fill("0");
    await page.keyboard.press("Control+Enter");
    await page.getByText('column "amont" does not exist').first().waitFor();
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(
      "select region, sum(amount) as total from sales where amount > $1 group by 1 order by 2",
    );
    await page.keyboard.press("Control+Enter");
    await page.getByText(/^2 rows in/).waitFor();
    await page.getByRole("cell", { name: "12", exact: true }).waitFor();
    await page.getByRole("tab", { name: "Chart" }).click();
    await page.getByRole("img", { name: "total over region" }).waitFor();
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("Seq Scan").waitFor();
    await expectSound(visitor);
    await page.keyboard.press("Control+s");
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("By region");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "By region" }).waitFor();

    await moveTo(page, `${at.origin}/tables/sales/rules`);
    const access = async () => {
      const { body } = await owner("GET /api/v1/records/access?tables=sales");
      return body.data.tables[0];
    };
    const open = await access();
    expect(open.open).toBe(true);
    const note = page.getByRole("note").filter({ hasText: "This table has no access rules." });
    await note.getByText(`${open.read.members} members can read all records`).waitFor();
    await note.getByText("Viewer").waitFor();
    await page.getByRole("button", { name: "Add rule", exact: true }).click();
    const who = page.getByRole("group", { name: "Role" });
    await who.getByText("Everyone").click();
    await who.getByText("viewer", { exact: true }).click();
    await page.getByRole("button", { name: "Add rule", exact: true }).first().click();
    await page.getByLabel("Operator").selectOption("eq");
    await page.getByLabel("Value", { exact: true }).fill("north");
    await page.getByText("2 records").waitFor();
    await expectSound(visitor);
    await page.getByRole("button", { name: "Save rules" }).click();
    await page.getByText("Access rules saved.").waitFor();
    await note.waitFor({ state: "detached" });
    const closed = await access();
    const roles = closed.read.roles.map(({ id }: { id: string }) => id);
    expect([closed.open, roles]).toEqual([false, ["owner", "admin", "viewer"]]);
    await page.getByText(`${closed.read.members} members can read the records`).waitFor();
    const viewer = await at.world.member(["viewer"]);
    const { body } = await viewer("GET /api/v1/tables/sales/records");
    expect(body.data.map(({ region }: { region: string }) => region)).toEqual(["north", "north"]);
  });
});
