import { expect, test } from "vitest";
import { createFilledTable } from "#domains/records/testing/records.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSoundInEveryLook, useConsole, moveTo } from "./testing.ts";

describeInBrowser("dashboards", () => {
  const at = useConsole();

  test("a user builds a dashboard without JSON, filters it, opens the rows, and sees a live change", async () => {
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
    await page.getByRole("button", { name: "New dashboard" }).first().click();

    // A tile, by the builder.
    await page.getByRole("button", { name: "Add tile", exact: true }).click();
    await page.getByLabel("Title").fill("By region");
    const source = page.getByRole("combobox", { name: "Source" });
    await source.click();
    await source.fill(table.slug);
    await page.getByRole("option", { name: table.slug }).first().click();
    await page.getByLabel("Type").selectOption("bar");
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
    await sheet.getByRole("button", { name: "Close rows" }).click();
    await page.getByRole("button", { name: "south", exact: true }).click();
    await page.getByRole("button", { name: /^Remove the filter Region/ }).waitFor();
    await page.getByRole("button", { name: /^north: 2/ }).waitFor({ state: "detached" });

    // Another user adds a record: the widget updates live.
    await owner(`POST ${table.path}`, { region: "south", amount: 9 });
    await page.getByRole("button", { name: /^south: 2/ }).waitFor();

    // The same by mail: the preview is drawn by the same charts.
    await moveTo(page, `${at.origin}/reports?tab=mail&open=new`);
    await page.getByLabel("Subject").fill("Every Monday");
    await page.getByRole("combobox", { name: "Report", exact: true }).selectOption({ index: 1 });
    await page.getByRole("combobox", { name: "Recipients" }).click();
    await page.locator("[role=option]").first().click();
    await page.keyboard.press("Control+s");
    const mail = page.getByRole("region", { name: "Preview of your e-mail" });
    await mail.getByRole("rowheader", { name: "north" }).waitFor();
    await expectSoundInEveryLook(visitor);
  });

  test("a user leaves the period to the widgets, and sees only groupings that the chart can draw", async () => {
    const visitor = await at.visit(["owner"]);
    const owner = await at.world.member(["owner"]);
    const columns = [
      { name: "asset", type: "text" },
      { name: "kind", type: "text" },
      { name: "boughtOn", type: "date" },
    ];
    const rows = Array.from({ length: 40 }, (_, n) => ({
      asset: `asset ${n}`,
      kind: n % 2 === 0 ? "laptop" : "phone",
      boughtOn: `2025-${String((n % 12) + 1).padStart(2, "0")}-01`,
    }));
    const table = await createFilledTable(at.world, owner, { columns }, rows);
    const { page } = visitor;
    await page.goto(`${at.origin}/dashboards`);
    await page.getByRole("button", { name: "New dashboard" }).first().click();
    await page.getByRole("button", { name: "Add tile", exact: true }).click();
    await page.getByLabel("Title").fill("Bought");
    const source = page.getByRole("combobox", { name: "Source" });
    await source.click();
    await source.fill(table.slug);
    const counted = page.waitForResponse(
      (answer) =>
        answer.url().endsWith("/reports/preview") &&
        (answer.request().postData() ?? "").includes("distinct"),
    );
    await page.getByRole("option", { name: table.slug }).first().click();
    await counted;
    await page.getByLabel("Type").selectOption("stacked");
    expect(await page.getByRole("combobox", { name: "Group 1" }).inputValue()).toBe("kind");
    await page.getByRole("button", { name: "Save" }).click();

    const period = page.getByRole("combobox", { name: "Period" });
    await period.waitFor();
    expect(await period.inputValue()).toBe("");
    const [made] = (await owner("GET /api/v1/analytics/dashboards?limit=1")).body.data;
    expect(made.period).toBeNull();
    await owner(`PATCH /api/v1/analytics/dashboards/${made.id}`, { period: { from: "$now-7d" } });
    await page.reload();
    await page.locator("select[aria-label=Period] option:checked", { hasText: "7 days" }).waitFor({
      state: "attached",
    });
    await period.selectOption("");
    await page.waitForURL(/period=own/);
    expect(await period.inputValue()).toBe("");
    await period.selectOption("year");
    await page.waitForURL((url) => !url.searchParams.has("period"));
    expect(await period.inputValue()).toBe("year");
  });
});
