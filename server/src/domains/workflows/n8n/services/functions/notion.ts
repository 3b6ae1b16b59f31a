/** Values written to Notion pages, in API format. */
import { toCode } from "../../code-text.ts";
import { NotConvertible } from "../../conversion.ts";
import { type JsonObject, toList, toObject, toText } from "../../n8n-workflow.ts";
import { type ParameterReader } from "../service-table.ts";
import type { SourceFunctions } from "./source-function.ts";

const text = (value: unknown): string => `[{ text: { content: n8n.text(${toCode(value)}) } }]`;

/** A property by type. n8n stores name and type in one string. */
function propertyCode(kind: string, one: JsonObject): string {
  const value = (name: string): unknown => one[name] ?? "";
  switch (kind) {
    case "title":
      return `{ title: ${text(value("title"))} }`;
    case "rich_text":
      return `{ rich_text: ${text(one["textContent"] ?? "")} }`;
    case "number":
      return `{ number: n8n.number(${toCode(value("numberValue"))}) ?? null }`;
    case "select":
      return `((name) => ({ select: name === "" ? null : { name } }))(n8n.text(${toCode(value("selectValue"))}))`;
    case "status":
      return `{ status: { name: n8n.text(${toCode(value("statusValue"))}) } }`;
    case "multi_select":
      return `{ multi_select: n8n.list(${toCode(value("multiSelectValue"))}).map((name) => ({ name })) }`;
    case "checkbox":
      return `{ checkbox: String(${toCode(value("checkboxValue"))}) === "true" }`;
    case "url":
      return `{ url: n8n.text(${toCode(value("urlValue"))}) || null }`;
    case "email":
      return `{ email: n8n.text(${toCode(value("emailValue"))}) || null }`;
    case "phone_number":
      return `{ phone_number: n8n.text(${toCode(value("phoneValue"))}) || null }`;
    case "relation":
      return `{ relation: n8n.list(${toCode(value("relationValue"))}).map((id) => ({ id })) }`;
    case "people":
      return `{ people: n8n.list(${toCode(value("peopleValue"))}).map((id) => ({ id })) }`;
    case "date": {
      const day = one["includeTime"] === false ? ".slice(0, 10)" : "";
      if (one["range"] === true)
        return `{ date: { start: n8n.dateTime(${toCode(value("dateStart"))})${day}, end: n8n.dateTime(${toCode(value("dateEnd"))})${day} } }`;
      return `((start) => ({ date: start === "" ? null : { start: n8n.dateTime(start)${day} } }))(n8n.text(${toCode(value("date"))}))`;
    }
    case "files": {
      const files = toList(toObject(one["fileUrls"])["fileUrl"]).map(toObject);
      return `{ files: [${files.map(({ name = "file", url = "" }) => `{ name: n8n.text(${toCode(name)}), type: "external", external: { url: n8n.text(${toCode(url)}) } }`).join(", ")}] }`;
    }
    default:
      throw new NotConvertible(`writes a property of type ${kind}`);
  }
}

/** The properties of a page, including its title. */
function notionProperties(read: ParameterReader): string {
  const all = toList(toObject(read.raw("propertiesUi"))["propertyValues"]).map(toObject);
  const codes = all.map((one) => {
    const key = toText(one["key"]);
    if (key.startsWith("="))
      throw new NotConvertible("uses an expression for the name of a property");
    const at = key.lastIndexOf("|");
    const [name, kind] = at < 0 ? [key, "rich_text"] : [key.slice(0, at), key.slice(at + 1)];
    return `${JSON.stringify(name)}: ${propertyCode(kind, one)}`;
  });
  const hasTitle = all.some(({ key }) => toText(key).endsWith("|title"));
  const title = read.raw("title");
  const own = title === undefined || hasTitle ? [] : [`title: { title: ${text(title)} }`];
  return `{ ${[...own, ...codes].join(", ")} }`;
}

/** The text blocks of a page. */
function notionBlocks(read: ParameterReader): string | undefined {
  const blocks = toList(toObject(read.raw("blockUi"))["blockValues"]).map(toObject);
  if (blocks.length === 0) return undefined;
  const codes = blocks.map((block) => {
    const { type = "paragraph", textContent = "", richText, checked } = block;
    const kind = toText(type, "paragraph");
    if (richText === true || kind === "image")
      throw new NotConvertible(`writes blocks of rich text or pictures`);
    const more = kind === "to_do" ? `, checked: ${toCode(checked ?? false)}` : "";
    return `{ object: "block", type: ${JSON.stringify(kind)}, ${JSON.stringify(kind)}: { rich_text: ${text(textContent)}${more} } }`;
  });
  return `[${codes.join(", ")}]`;
}

/** The conditions of a query. */
function notionFilter(read: ParameterReader): string | undefined {
  const kind = toText(read.raw("filterType"), "none");
  if (kind === "json") return `n8n.json(${read.code("filterJson") ?? '"{}"'})`;
  const conditions = toList(
    toObject(read.raw("filters"))["conditions"] ??
      toObject(toObject(toObject(read.raw("options.filter"))["multipleCondition"])["condition"])[
        "and"
      ],
  ).map(toObject);
  if (conditions.length === 0) return undefined;
  const codes = conditions.map((one) => {
    const key = toText(one["key"]);
    const [name, type] = [key.slice(0, key.lastIndexOf("|")), key.slice(key.lastIndexOf("|") + 1)];
    if (key.startsWith("=") || name === "")
      throw new NotConvertible("uses an expression for the name of a property");
    const condition = toText(one["condition"], "equals");
    const given = FILTER_VALUES[type];
    if (condition === "is_empty" || condition === "is_not_empty")
      return `{ property: ${JSON.stringify(name)}, ${JSON.stringify(type)}: { ${condition}: true } }`;
    if (given === undefined) throw new NotConvertible(`filters by a property of type ${type}`);
    const value = toCode(one[given] ?? (type === "checkbox" ? false : ""));
    const typed =
      type === "number"
        ? `Number(${value})`
        : type === "checkbox"
          ? `String(${value}) === "true"`
          : /^(date|created_time|last_edited_time)$/.test(type)
            ? /^(past|next|this)_/.test(condition)
              ? "{}"
              : `n8n.dateTime(${value})`
            : `n8n.text(${value})`;
    return `{ property: ${JSON.stringify(name)}, ${JSON.stringify(type)}: { ${condition}: ${typed} } }`;
  });
  const joined = toText(read.raw("matchType"), "anyFilter") === "allFilters" ? "and" : "or";
  return codes.length === 1 ? codes[0] : `{ ${joined}: [${codes.join(", ")}] }`;
}

const FILTER_VALUES: Readonly<Record<string, string>> = {
  title: "titleValue",
  rich_text: "richTextValue",
  number: "numberValue",
  select: "selectValue",
  status: "statusValue",
  multi_select: "multiSelectValue",
  checkbox: "checkboxValue",
  url: "urlValue",
  email: "emailValue",
  phone_number: "phoneNumberValue",
  relation: "relationValue",
  people: "peopleValue",
  date: "date",
  created_time: "date",
  last_edited_time: "date",
};

function notionSorts(read: ParameterReader): string | undefined {
  const values = toList(toObject(toObject(read.raw("options.sort"))["sortValue"] ?? {})).map(
    toObject,
  );
  const list = toList(toObject(read.raw("options.sort"))["sortValue"]).map(toObject);
  const all = list.length > 0 ? list : values;
  if (all.length === 0) return undefined;
  const codes = all.map(({ key, timestamp, direction = "ascending" }) => {
    const named = toText(key).split("|")[0] ?? "";
    return timestamp === true || named === "created_time" || named === "last_edited_time"
      ? `{ timestamp: ${JSON.stringify(named)}, direction: ${JSON.stringify(direction)} }`
      : `{ property: ${JSON.stringify(named)}, direction: ${JSON.stringify(direction)} }`;
  });
  return `[${codes.join(", ")}]`;
}

export const notionFunctions: SourceFunctions = {
  notionProperties,
  notionBlocks,
  notionFilter,
  notionSorts,
};
