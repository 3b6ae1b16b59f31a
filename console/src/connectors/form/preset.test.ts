import { expect, test } from "vitest";
import { configOfPreset, findPresets, monogramOf, type Preset, typeOfPreset } from "./preset.ts";

test("a monogram has two letters for any name", () => {
  const names = ["GitHub", "Google Sheets", "X", "monday.com", "Mail server (SMTP)", ""];
  expect(names.map(monogramOf)).toEqual(["Gi", "GS", "X", "Mc", "Ms", ""]);
});

test("services match search words in any order, and categories", () => {
  const all = [
    { id: "b", title: "Slack", category: "communication", guide: "Make an app" },
    { id: "a", title: "Google Docs", category: "google", guide: "Enable the API" },
  ] as never;
  const find = (words: string, category?: string) =>
    findPresets(all, words, category).map(({ title }) => title);
  expect([find(""), find("docs goo"), find("", "google"), find("app", "google")]).toEqual([
    ["Google Docs", "Slack"],
    ["Google Docs"],
    ["Google Docs"],
    [],
  ]);
});

test("a form has only the fields that the service does not define", () => {
  const schema = { properties: { name: {}, value: {}, in: {} }, required: ["name", "value"] };
  const type = { auth: [{ kind: "api_key", schema }] } as never;
  const preset = {
    config: { preset: "zendesk" },
    parameters: [
      { name: "sub", title: "Subdomain" },
      { name: "area", title: "Area", default: "eu" },
    ],
    auth: [{ kind: "api_key", fill: { name: "X-Key" } }],
  } as never as Preset;
  const made = typeOfPreset(type, preset);
  expect(made.auth[0]?.schema).toEqual({ properties: { value: {} }, required: ["value"] });
  expect(made.config).toMatchObject({ required: ["sub"] });
  expect(configOfPreset(preset, { sub: "acme", area: "" })).toEqual({
    preset: "zendesk",
    parameters: { sub: "acme" },
  });
});
