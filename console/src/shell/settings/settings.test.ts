import { expect, test } from "vitest";
import { ACCOUNT_TABS } from "../../account/search.ts";
import { OPERATION_TABS } from "../../operation/search.ts";
import { SLA_TABS } from "../../sla/search.ts";
import { SCREENS } from "../areas.ts";
import { SETTINGS } from "./declaration.ts";
import { findSettings, settingAt } from "./find.ts";
import { movedTo } from "./old-address.ts";

// The options must be literals, because the build tool reads them.
const files = import.meta.glob<string>("../../*-routes.tsx", {
  query: "?raw",
  import: "default",
  eager: true,
});
const frames = import.meta.glob<string>("../../desk-settings/frame/settings.tsx", {
  query: "?raw",
  import: "default",
  eager: true,
});
const all = SETTINGS.flatMap(({ settings }) => settings);
const routes = Object.values(files).flatMap((text) =>
  [...text.matchAll(/path: "(\/[^"]*)"/g)].map(([, path = ""]) => path),
);
const deskPages = [
  ...Object.values(frames)
    .join("")
    .matchAll(/^ {2}(\w+): page\(/gm),
].map(([, name = ""]) => `/settings/desk/${name}`);
const titles = (text: string): readonly string[] =>
  findSettings(SETTINGS, text).map(({ setting }) => setting.title);

test("every screen below /settings is declared, and every declared address is a screen", () => {
  expect(deskPages.length).toBeGreaterThan(8);
  const pages = [...routes.filter((path) => !path.includes("$")), ...deskPages];
  const declared = new Set(all.map(({ to }) => to));
  const settings = pages.filter((path) => path.startsWith("/settings/"));
  // Redirects to the first page of the desk settings.
  const missing = settings.filter((path) => !declared.has(path) && path !== "/settings/desk");
  expect(missing).toEqual([]);
  expect([...declared].filter((path) => !pages.includes(path))).toEqual([]);
});

test("every tab of a page of settings is declared", () => {
  const tabsOf = (path: string) =>
    all.filter(({ to }) => to === path).flatMap(({ search }) => search?.["tab"] ?? []);
  const [, ...operation] = OPERATION_TABS;
  expect(tabsOf("/settings/operation").toSorted()).toEqual(operation.toSorted());
  const [, ...account] = ACCOUNT_TABS;
  expect(tabsOf("/settings/account").toSorted()).toEqual(account.toSorted());
  const [, ...sla] = SLA_TABS;
  expect(tabsOf("/sla").toSorted()).toEqual(sla.toSorted());
});

test("settings have unique titles, and those in the menu have the same name as there", () => {
  const names = all.map(({ title }) => title);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  for (const { to, search, hash, title } of all) {
    if (search || hash !== undefined) continue;
    const screen = SCREENS.find((one) => one.to === to);
    if (screen) expect(title).toBe(screen.label);
  }
});

test("finds settings by terms from other products and sorts by relevance", () => {
  expect(titles("users")[0]).toBe("People");
  expect(titles("canned responses")[0]).toBe("Macros");
  expect(titles("history")[0]).toBe("Audit log");
  expect(titles("business hours")[0]).toBe("Calendars");
  expect(titles("saml")[0]).toBe("Single sign-on");
  expect(titles("2fa")).toContain("Second factor for all members");
  expect(titles("custom field")[0]).toBe("Custom fields");
  expect(titles("status")[0]).toBe("Status page");
  expect(titles("MAILBOX")[0]).toBe("Mailboxes");
  expect(titles("xyzzy")).toEqual([]);
  expect(titles(" ")).toEqual([]);
});

test("every word of a search has to match", () => {
  expect(titles("api tokens")).toContain("Your API tokens");
  expect(titles("api zebra")).toEqual([]);
});

test("on a page with tabs, the current setting is that of the open tab", () => {
  const at = (path: string, search = {}) => settingAt(SETTINGS, path, search)?.setting.title;
  expect(at("/settings/account")).toBe("Your account");
  expect(at("/settings/account", { tab: "tokens" })).toBe("Your API tokens");
  expect(at("/settings/people/usr_1")).toBe("People");
  expect(at("/settings/desk/macros", { open: "new" })).toBe("Macros");
  expect(at("/settings")).toBeUndefined();
});

test("redirects old URLs and keeps the rest of the path", () => {
  expect(movedTo("/people/usr_1")).toBe("/settings/people/usr_1");
  expect(movedTo("/desk/settings/macros")).toBe("/settings/desk/macros");
  expect(movedTo("/settings/programs")).toBe("/settings/api");
  expect(movedTo("/peoples")).toBeUndefined();
  expect(movedTo("/desk/incidents")).toBeUndefined();
  for (const path of ["/account", "/audit", "/operation", "/people", "/roles"]) {
    expect(routes).toContain(movedTo(path));
  }
});
