import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type FormField,
  FORM_INPUTS,
  type FormInput,
  type PostedForm,
  readTexts,
} from "./form-field.ts";
import { parseForm } from "./form-values.ts";
import { isTrapped, renderForm } from "./form-view.ts";
import { readForm, toPostedForm } from "./posted-form.ts";

/** Texts that try to break out of their attribute or element. */
const hostile = fc.constantFrom(
  `"><script>alert(1)</script>`,
  "</textarea><b>",
  "' onfocus='x",
  "&quot;&#34;<!--",
  "]]>\u2028\\",
  "\n\nfirst lines",
  "$& ${x}",
  "constructor",
  "__proto__",
);
const line = fc.oneof(hostile, fc.string({ unit: "grapheme", maxLength: 60 }), fc.string());
const lineValue = line
  .map((text) => text.replaceAll(/[\r\n\0]/g, " ").trim())
  .filter((text) => text !== "");
const options = fc
  .uniqueArray(lineValue, { minLength: 1, maxLength: 6 })
  .map((texts) => texts.map((value) => ({ value, label: value })));
const day = fc
  .date({ min: new Date("1000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());

/** A field of each kind with a value. */
const VALUES: Readonly<Record<FormInput, fc.Arbitrary<readonly [Partial<FormField>, unknown]>>> = {
  text: lineValue.map((value) => [{}, value]),
  search: lineValue.map((value) => [{}, value]),
  textarea: line
    .map((text) => text.replaceAll(/\r\n?|\0/g, "\n"))
    .filter((text) => text.trim() !== "")
    .map((value) => [{}, value]),
  hidden: lineValue.map((value) => [{}, value]),
  // Browsers never show a password again.
  password: fc.constant([{}, null]),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => [{}, value + 0]),
  date: day.map((at) => [{}, at.slice(0, 10)]),
  time: day.map((at) => [{}, at.slice(11, 16)]),
  datetime: day.map((at) => [{}, `${at.slice(0, 16)}:00.000Z`]),
  email: fc.emailAddress().map((value) => [{}, value]),
  url: fc.webUrl().map((value) => [{}, value]),
  tel: fc.stringMatching(/^\+\d{5,15}$/).map((value) => [{}, value]),
  select: options.map((all) => [{ options: all }, all.at(-1)?.value]),
  radio: options.map((all) => [{ options: all }, all[0]?.value]),
  checkboxes: options.map((all) => [
    { options: all },
    all.filter((_, at) => at % 2 === 0).map(({ value }) => value),
  ]),
  checkbox: fc.boolean().map((value) => [{}, value]),
  lines: fc.array(lineValue, { minLength: 1, maxLength: 5 }).map((value) => [{}, value]),
  file: fc
    .array(fc.stringMatching(/^file_[0-9a-z]{26}$/), { minLength: 1, maxLength: 3 })
    .map((value) => [{ keepsFiles: true }, value]),
};

const field = fc.constantFrom(...FORM_INPUTS).chain((input) =>
  fc
    .tuple(VALUES[input], line, line, line, fc.option(line, { nil: undefined }))
    .map(([[more, value], name, label, help, group]): FormField => ({
      name,
      label,
      input,
      required: false,
      help,
      group,
      placeholder: help,
      value,
      ...more,
    })),
);
const form = fc.uniqueArray(field, { maxLength: 8, selector: ({ name }) => name });

test("browsers submit the displayed form values", () => {
  fc.assert(
    fc.property(form, (fields) => {
      const posted = postAsBrowser(renderForm({ fields, submit: "Send", isPublic: true }).text);
      const { values, errors } = parseForm(fields, posted);
      expect([...errors]).toEqual([]);
      expect(values).toEqual(Object.fromEntries(fields.map(({ name, value }) => [name, value])));
      expect(isTrapped(posted)).toBe(false);
    }),
  );
});

test("a rejected form shows the submitted texts safely escaped", () => {
  const sent = fc.dictionary(line, fc.oneof(line, fc.array(line, { maxLength: 3 })));
  fc.assert(
    fc.property(form, sent, line, (fields, body, problem) => {
      const posted = toPostedForm(body);
      const { errors } = parseForm(fields, posted);
      const shown = renderForm({ fields, posted, errors, problem, submit: problem });
      const again = postAsBrowser(shown.text);
      const texts = ["text", "textarea", "number", "date", "email", "url"];
      for (const { name, input } of fields) {
        const [written = ""] = readTexts(posted, name);
        if (texts.includes(input)) {
          const [kept = ""] = readTexts(again, name);
          const breaks = input === "textarea" ? "\n" : "";
          const asShown = written.replaceAll(/\r\n|\r|\n/g, breaks);
          expect(kept).toBe(asShown);
        }
      }
    }),
  );
});

const asked = (input: FormInput, more: Partial<FormField> = {}): FormField => ({
  name: "a",
  label: "Answer",
  input,
  required: true,
  ...more,
});
const sizes = ["S", "L"].map((value) => ({ value, label: value }));

test("reports errors in complete sentences", () => {
  const errorOf = (one: FormField, ...texts: string[]): string | undefined =>
    parseForm([one], new Map([["a", texts]])).errors.get("a");
  expect([
    errorOf(asked("text"), " "),
    errorOf(asked("text", { maxLength: 2 }), "abc"),
    errorOf(asked("text", { mask: "AA-#" }), "AB-C"),
    errorOf(asked("number"), "1,234"),
    errorOf(asked("number", { min: 3 }), "2"),
    errorOf(asked("number", { max: 3 }), "4"),
    errorOf(asked("date"), "2026-02-30"),
    errorOf(asked("time"), "24:00"),
    errorOf(asked("datetime"), "2026-11-19"),
    errorOf(asked("email"), "a b@c"),
    errorOf(asked("url"), "javascript:alert(1)"),
    errorOf(asked("tel"), "call me"),
    errorOf(asked("select", { options: sizes }), "M"),
    errorOf(asked("radio", { options: sizes })),
    errorOf(asked("checkboxes", { options: sizes })),
    errorOf(asked("checkboxes", { options: sizes }), "S", "M"),
    errorOf(asked("checkbox")),
    errorOf(asked("file")),
  ]).toEqual([
    "This field is required.",
    "Use at most 2 characters.",
    "Use the format AA-#: # is a digit, A is a letter, and * is either.",
    "Enter a number, for example 12.5.",
    "Enter a number of at least 3.",
    "Enter a number of at most 3.",
    "Enter a date, for example 2026-11-19.",
    "Enter a time, for example 14:30.",
    "Enter a date and a time, for example 2026-11-19 14:30.",
    "Enter an e-mail address, for example name@example.com.",
    "Enter a web address, for example https://example.com.",
    "Enter a phone number, for example +49 30 1234567.",
    "Choose one of the options.",
    "Choose an option.",
    "Choose at least one option.",
    "Choose from the options.",
    "Tick this box.",
    "Choose a file.",
  ]);
});

test("converts values to field types and uses the form's time zone by default", () => {
  const valueOf = (one: FormField, text: string, timeZone = "UTC"): unknown =>
    parseForm([one], new Map([["a", [text]]]), { timeZone }).values["a"];
  const numbers = [1, 2].map((value) => ({ value, label: `No. ${value}` }));
  expect([
    valueOf(asked("number"), " 12,5 "),
    valueOf(asked("number", { exact: true }), "0.10000000000000000000001"),
    valueOf(asked("datetime"), "2026-07-01T10:30", "Europe/Berlin"),
    valueOf(asked("datetime"), "2026-07-01T10:30:00-02:00", "Europe/Berlin"),
    valueOf(asked("select", { options: numbers }), "2"),
    valueOf(asked("lines"), "a\r\n\r\n b "),
    valueOf(asked("textarea"), " a\r\nb "),
  ]).toEqual([
    12.5,
    "0.10000000000000000000001",
    "2026-07-01T08:30:00.000Z",
    "2026-07-01T12:30:00.000Z",
    2,
    ["a", "b"],
    " a\nb ",
  ]);
});

test("associates errors with their fields, and the summary has the focus and links to them", () => {
  const fields = [
    asked("email", { help: "Your own" }),
    asked("radio", { name: "b/c", label: "Size", options: sizes }),
  ];
  const errors = new Map([
    ["a", "Enter one."],
    ["b/c", "must be one of the options"],
    ["/x", "is unknown"],
  ]);
  const { text } = renderForm({ fields, errors, submit: "Send" });
  expect(text).toContain(
    '<div class="alarm errors" role="alert" tabindex="-1" autofocus><p>Please correct 3 answers.</p>',
  );
  expect(text).toContain('<li><a href="#field-a">Answer: Enter one.</a></li>');
  expect(text).toContain("<li>x is unknown.</li>");
  expect(text).toContain(
    'id="field-a" name="a" required aria-invalid="true" aria-describedby="field-a-help field-a-error" type="email" value="" autocomplete="email">',
  );
  const id = /<a href="#(field-b[^"]+)">Size must be one of the options\.<\/a>/.exec(text)?.[1];
  expect(text).toContain(`aria-describedby="${id}-error" role="radiogroup" aria-invalid="true"`);
  expect(text).toContain(`<input type="radio" id="${id}" name="b/c" value="S" required>`);
  expect(text).toContain(`id="${id}-error">Size must be one of the options.</p>`);
});

test("limits the size of a form and parses it in linear time", async () => {
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`f${at}`, "x"]));
  expect(() => toPostedForm(many)).toThrow("too large");
  expect(() => toPostedForm({ a: Object.keys(many) })).toThrow("too large");
  const read = (text: string) =>
    readForm(
      {
        content: (async function* () {
          yield Buffer.from(text);
        })(),
        contentType: "application/x-www-form-urlencoded; charset=utf-8",
        length: undefined,
      },
      async () => "",
    );
  const { posted } = await read("a=1&a=%00x%0D%0Ay&b=");
  expect([...posted]).toEqual([
    ["a", ["1", "x\ny"]],
    ["b", [""]],
  ]);
  await expect(read(`a=${"x".repeat(1_048_577)}`)).rejects.toThrow("too large");
  // A backtracking pattern would take minutes for one of these.
  for (const input of FORM_INPUTS) {
    for (const sign of ["1", "a", " ", "@", ",", "\n", "-"]) {
      const one = asked(input, { options: sizes, maxLength: 100_000 });
      expect(parseForm([one], new Map([["a", [`1${sign.repeat(99_998)}x`]]]))).toBeDefined();
    }
  }
});

const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>|([^<>]+)/gy;
const ELEMENTS =
  /^(form|div|p|ul|li|a|fieldset|legend|label|span|input|textarea|select|option|button)$/;

/** Parses and submits a form like a browser. Throws on unexpected elements. */
function postAsBrowser(html: string): PostedForm {
  const pairs: [string, string][] = [];
  const open: { tag: string; attributes: ReadonlyMap<string, string>; text: string }[] = [];
  let select: { name: string; chosen: string | undefined; first: string | undefined } | undefined;
  let at = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(html); match; match = TOKEN.exec(html)) {
    at = TOKEN.lastIndex;
    const [, slash, tag, attributesHtml = "", text] = match;
    if (text !== undefined) {
      const last = open.at(-1);
      if (last) last.text += decode(text);
      continue;
    }
    if (tag === undefined || !ELEMENTS.test(tag)) throw new Error(`There is <${tag}>.`);
    if (slash === "/") {
      const closed = open.pop();
      if (closed?.tag !== tag) throw new Error(`</${tag}> closes <${closed?.tag}>.`);
      const name = closed.attributes.get("name") ?? "";
      // A browser drops the first line break.
      if (tag === "textarea") pairs.push([name, closed.text.replace(/^\n/, "")]);
      if (tag === "option" && select) {
        const value = closed.attributes.get("value") ?? "";
        select.first ??= value;
        if (closed.attributes.has("selected")) select.chosen = value;
      }
      if (tag === "select" && select) pairs.push([name, select.chosen ?? select.first ?? ""]);
      continue;
    }
    const attributes = readAttributes(attributesHtml);
    if (tag === "select")
      select = { name: attributes.get("name") ?? "", chosen: undefined, first: undefined };
    if (tag === "input") pairs.push(...sentBy(attributes));
    else open.push({ tag, attributes, text: "" });
  }
  if (at !== html.length || open.length > 0)
    throw new Error(`Not HTML: ${html.slice(at, at + 80)}`);
  const encoded = pairs.map(([name, text]): [string, string] => [
    name,
    text.replaceAll(/\r\n|\r|\n/g, "\r\n"),
  ]);
  const body: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, text] of encoded) (body[name] ??= []).push(text);
  return toPostedForm(body);
}

function readAttributes(html: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", value = ""] of html.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)) {
    if (found.has(name) || name.startsWith("on")) throw new Error(`There is ${name} again.`);
    found.set(name, decode(value));
  }
  return found;
}

function sentBy(attributes: ReadonlyMap<string, string>): [string, string][] {
  const type = attributes.get("type");
  const isTicked = type === "checkbox" || type === "radio" ? attributes.has("checked") : true;
  if (type === "file" || !isTicked) return [];
  const value = attributes.get("value") ?? "";
  const isLine = type !== "hidden" && type !== "checkbox" && type !== "radio";
  return [[attributes.get("name") ?? "", isLine ? value.replaceAll(/[\r\n]/g, "") : value]];
}

function decode(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
