import { expect, test } from "vitest";
import { createFilledTable } from "#domains/records/testing/records.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSoundInEveryLook, useConsole, moveTo } from "./testing.ts";

describeInBrowser("dashboards", () => {
  const at = useConsole();

  test("a person builds a dashboard without JSON, filters it, goes to the rows, and sees a change by itself", async () => {
    const visitor = await at.visit(["owner"]);
    const owner = await at.world.member(["owner"]);
    const columns = [
      { name: "region", type: "text" },
      { name: "amount", type: "decimal" },
    ];
    const rows = ["north", "north", "south"].map((region, n) => ({ region, amount: n + 1 }));
    const table = await createFilledTable(at.world, owner, { columns }, rows);
    const { page } = visitor;
    await page.goto(`${at.origin}/dashboards`);
    await page.getByRole("button", { name: "Dashboard", exact: true }).first().click();

    // A tile, by the builder.
    await page.getByRole("button", { name: "Tile", exact: true }).click();
    await page.getByLabel("Title").fill("By region");
    const source = page.getByRole("combobox", { name: "Source" });
    await source.click();
    await source.fill(table.slug);
    await page.getByRole("option", { name: table.slug }).first().click();
    await page.getByLabel("Shown as").selectOption("bar");
    await page.getByRole("rowheader", { name: "north" }).waitFor();

    // Moved and sized by keys, and a step back.
    const grip = page.getByRole("button", { name: /^Move By region/ });
    await grip.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByRole("main").getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Save" }).click();

    // From a number to its rows; a name filters everything.
    await page.getByRole("button", { name: /^north: 2/ }).click();
    const sheet = page.getByRole("complementary", { name: "Rows behind By region" });
    await sheet.getByRole("cell", { name: "north" }).first().waitFor();
    expect(await sheet.getByRole("row").count()).toBe(3);
    await expectSoundInEveryLook(visitor);
    await sheet.getByRole("button", { name: "Close the rows" }).click();
    await page.getByRole("button", { name: "south", exact: true }).click();
    await page.getByRole("button", { name: /^Remove the filter Region/ }).waitFor();
    await page.getByRole("button", { name: /^north: 2/ }).waitFor({ state: "detached" });

    // Somebody adds a record: the tile follows the log.
    await owner(`POST ${table.path}`, { region: "south", amount: 9 });
    await page.getByRole("button", { name: /^south: 2/ }).waitFor();

    // The same by mail: the preview is drawn by the same charts.
    await moveTo(page, `${at.origin}/reports?tab=mail&open=new`);
    await page.getByLabel("Subject").fill("Every Monday");
    await page.getByLabel("Sends").selectOption({ index: 1 });
    await page.getByRole("combobox", { name: "To" }).click();
    await page.locator("[role=option]").first().click();
    await page.keyboard.press("Control+s");
    const mail = page.getByRole("region", { name: "The mail as you would get it" });
    await mail.getByRole("rowheader", { name: "north" }).waitFor();
    await expectSoundInEveryLook(visitor);
  });
});
