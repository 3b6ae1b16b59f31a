import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import {
  expectFocusKept,
  expectSound,
  expectSoundInEveryLook,
  moveTo,
  useConsole,
} from "./testing.ts";

describeInBrowser("the menu and the settings", () => {
  const at = useConsole();

  const menuOf = (page: Page) => page.getByRole("navigation", { name: "Main menu" });
  const firstOf = (page: Page) =>
    menuOf(page).locator(".nav-first > li > .nav-row > a").allTextContents();
  const open = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${at.origin}${path}`);
    await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
  };

  test.each([
    ["owner", "Home Desk Changes Services Knowledge Automation Data Apps Reports", []],
    ["agent", "Home Desk Changes Services Knowledge Data Reports", ["Automation", "Apps"]],
    ["viewer", "Home Desk Changes Services Knowledge Automation Data Apps Reports", []],
  ])("%s: at most nine top entries, the others under More", async (role, first, more) => {
    const { page } = await at.visit([role]);
    await open(page, "/");
    await expect.poll(() => firstOf(page)).toEqual(first.split(" "));
    const rest = menuOf(page).locator(".nav-rest > ul > li > .nav-row > a");
    expect(await rest.allTextContents()).toEqual(more);
    if (more.length > 0) {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await rest.first().waitFor({ state: "visible" });
    }
  });

  test("an area expands to its screens, the current page is marked, with mouse and keyboard", async () => {
    const owner = await at.visit(["owner"]);
    const { page } = owner;
    await open(page, "/");
    const menu = menuOf(page);
    const current = () => menu.locator("[aria-current=page]").allTextContents();
    expect(await current()).toEqual(["Home"]);
    await menu.getByRole("link", { name: "Automation" }).click();
    await page.getByRole("heading", { level: 1, name: "Workflows" }).waitFor();
    await expect.poll(current).toEqual(["Workflows"]);
    expect(await menu.locator("[aria-current=true]").allTextContents()).toEqual(["Automation"]);
    await menu.getByRole("link", { name: "Connectors" }).click();
    await page.getByRole("heading", { level: 1, name: "Connectors" }).waitFor();
    await expect.poll(current).toEqual(["Connectors"]);
    // Arrows fold and unfold an area without leaving the page.
    await menu.getByRole("link", { name: "Desk", exact: true }).focus();
    await page.keyboard.press("ArrowRight");
    await menu.getByRole("link", { name: "Problems" }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await menu.getByRole("link", { name: "Problems" }).waitFor({ state: "hidden" });
    await menu.getByRole("button", { name: "Screens of Desk" }).click();
    await menu.getByRole("link", { name: "Problems" }).waitFor();
    await expectSoundInEveryLook(owner);
    // The folded menu has the same places.
    await page.keyboard.press("Control+b");
    await menu.getByRole("link", { name: "On call" }).click();
    await page.getByRole("heading", { level: 1, name: "On call" }).waitFor();
    await expectSound(owner);
    await page.keyboard.press("Control+b");
    for (const [keys, name] of [
      ["gd", "Desk"],
      ["gf", "Reports"],
      ["gm", "People"],
      ["g,", "Settings"],
    ] as const) {
      await page.keyboard.press("Escape");
      await page.locator("main").focus();
      await page.keyboard.type(keys);
      await page
        .getByRole("heading", { level: 1, name, exact: true })
        .waitFor({ state: "attached" });
    }
  });

  test("pinned, ordered and hidden entries are per user, work with keyboard and mouse, and survive a reload", async () => {
    const person = await at.world.member(["owner"]);
    const owner = await at.visitAs(person.token);
    const { page } = owner;
    const stored = async () => {
      const { body } = await person("GET /api/v1/me/preferences");
      const all = body.data.preferences as { key: string; value: object }[];
      return all.find(({ key }) => key === "console.menu")?.value;
    };
    await open(page, "/runs");
    const arrange = menuOf(page).getByRole("button", { name: "Edit menu entry Runs" });
    await arrange.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Pin" }).waitFor();
    await page.keyboard.press("Enter");
    // At most nine entries: the last area gives up its place.
    const withRuns = [
      "Home",
      "Desk",
      "Changes",
      "Services",
      "Knowledge",
      "Automation",
      "Data",
      "Apps",
      "Runs",
    ];
    await expect.poll(() => firstOf(page)).toEqual(withRuns);
    await expectFocusKept(page, "[data-entry='/runs']");
    await menuOf(page).getByRole("button", { name: "Edit menu entry Knowledge" }).click();
    await page.getByRole("menuitem", { name: "Move up" }).click();
    await menuOf(page).getByRole("button", { name: "Edit menu entry Apps" }).click();
    await page.getByRole("menuitem", { name: "Hide" }).click();
    const arranged = [
      "Home",
      "Desk",
      "Changes",
      "Knowledge",
      "Services",
      "Automation",
      "Data",
      "Reports",
      "Runs",
    ];
    await expect.poll(async () => (await firstOf(page)).toSorted()).toEqual(arranged.toSorted());
    const shown = await firstOf(page);
    expect(shown.indexOf("Knowledge")).toBe(shown.indexOf("Services") - 1);
    await expect.poll(stored).toMatchObject({ pinned: ["/runs"], hidden: ["apps"] });
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
    await expect.poll(() => firstOf(page)).toEqual(shown);
    await expectSound(owner);
    await menuOf(page).getByRole("button", { name: "Edit menu entry Home" }).click();
    await page.getByRole("menuitem", { name: "Reset menu" }).click();
    await expect.poll(() => firstOf(page)).toHaveLength(9);
    await expect.poll(stored).toBeUndefined();
    expect((await firstOf(page)).at(-1)).toBe("Reports");
  });

  test("the settings are searchable by terms of other products, with the keyboard only, and from the palette", async () => {
    const owner = await at.visit(["owner"]);
    const { page } = owner;
    await open(page, "/desk?view=unassigned");
    await page.keyboard.type("g,");
    await page.getByRole("heading", { level: 1, name: "Settings", exact: true }).waitFor();
    await expectSoundInEveryLook(owner);
    for (const [words, title] of [
      ["users", "People"],
      ["canned responses", "Macros"],
      ["history", "Audit log"],
    ] as const) {
      await page.getByRole("searchbox", { name: "Search settings" }).fill(words);
      await page.getByRole("region", { name: "Results" }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      expect(await page.title()).toBe(`${title} · Millrace`);
      await moveTo(page, `${at.origin}/settings`);
      await page.getByRole("searchbox", { name: "Search settings" }).waitFor();
    }
    // Arrow keys move from the field through its results.
    await page.getByRole("searchbox").fill("calendar");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/sla?tab=calendars");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("canned resp");
    await page.getByRole("option", { name: /Macros/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/settings/desk/macros");
    // The menu shows the current page, and links back.
    await menuOf(page).locator("[aria-current=page]", { hasText: "Macros" }).waitFor();
    await menuOf(page).getByRole("link", { name: "Back to SLAs" }).click();
    await page.waitForURL("**/sla?tab=calendars");
    await moveTo(page, `${at.origin}/settings?q=xyzzy`);
    await page.getByText("No settings found for “xyzzy”").waitFor();
    expect(owner.faults).toEqual([]);
  });

  test("a member without permission for workspace settings is informed, and finds their own settings", async () => {
    const owner = await at.world.member(["owner"]);
    const role = { name: "Onlooker", permissions: ["incidents:read"] };
    const made = await owner("POST /api/v1/settings/roles", role);
    expect(made.status).toBe(201);
    const { token } = await at.world.member([made.body.data.id]);
    const { page } = await at.visitAs(token);
    await open(page, "/settings");
    await page.getByText("You don’t have permission to change workspace settings.").waitFor();
    const main = page.getByRole("main");
    expect(await main.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
      " My account",
    ]);
    await page.getByRole("searchbox").fill("users");
    await page.getByText("No settings found for “users”").waitFor();
  });

  test("old URLs redirect to the new ones with query and hash", async () => {
    const owner = await at.visit(["owner"]);
    const { page, userId } = owner;
    for (const [before, after] of [
      ["/account?tab=tokens", "/settings/account?tab=tokens"],
      ["/audit?person=usr_1", "/settings/audit?person=usr_1"],
      ["/desk/settings", "/settings/desk/teams"],
      ["/desk/settings/macros?open=new", "/settings/desk/macros?open=new"],
      ["/operation?tab=log", "/settings/operation?tab=log"],
      ["/people?tab=invitations", "/settings/people?tab=invitations"],
      [`/people/${userId}`, `/settings/people/${userId}`],
      ["/roles?operation=workflows.create", "/settings/roles?operation=workflows.create"],
      ["/settings/programs#tokens", "/settings/api#tokens"],
    ] as const) {
      await moveTo(page, `${at.origin}${before}`);
      await page.waitForURL(`${at.origin}${after}`);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
    }
    expect(await page.getByRole("heading", { name: "Page not found" }).count()).toBe(0);
  });

  test("a phone has the same menu in a drawer, with the keyboard only", async () => {
    const owner = await at.visit(["owner"], { width: 400 });
    const { page } = owner;
    await open(page, "/");
    const button = page.getByRole("button", { name: "Menu", exact: true });
    await button.focus();
    await page.keyboard.press("Enter");
    const drawer = page.getByRole("dialog", { name: "Menu" });
    await drawer.getByRole("link", { name: "Reports" }).waitFor();
    expect(await drawer.locator(".nav-first > li").count()).toBe(9);
    await expectSound(owner);
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    expect(await button.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await drawer.getByRole("link", { name: "Desk", exact: true }).focus();
    await page.keyboard.press("ArrowRight");
    await drawer.getByRole("link", { name: "Problems" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Problems" }).waitFor();
    await drawer.waitFor({ state: "detached" });
    await button.click();
    await drawer.getByRole("link", { name: "Settings", exact: true }).click();
    await page.getByRole("searchbox", { name: "Search settings" }).fill("users");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
    await button.click();
    await drawer.locator("[aria-current=page]", { hasText: "People" }).waitFor();
    await expectSound(owner);
    const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(isWider).toBe(false);
  });
});
