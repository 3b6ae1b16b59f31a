/** Values of services for web scraping, publishing and file storage. */
import { toCode } from "../../code-text.ts";
import { NotConvertible } from "../../conversion.ts";
import { toList, toObject, toText } from "../../n8n-workflow.ts";
import { type ParameterReader } from "../service-table.ts";
import type { SourceFunctions } from "./source-function.ts";

/** Facebook request parameters from a list. */
const facebookQuery = (read: ParameterReader): string => {
  const fields = toList(toObject(read.raw("options.fields"))["field"]).map(
    (one) => `n8n.text(${toCode(toObject(one)["name"] ?? "")})`,
  );
  const pairs = toList(toObject(read.raw("options.queryParameters"))["parameter"]).map((one) => {
    const { name = "", value = "" } = toObject(one);
    return `[${toCode(name)}]: n8n.text(${toCode(value)})`;
  });
  const json = read.code("options.queryParametersJson");
  return `{ ${[
    ...(fields.length === 0 ? [] : [`fields: [${fields.join(", ")}].join(",")`]),
    ...pairs,
    ...(json === undefined ? [] : [`...n8n.json(${json})`]),
  ].join(", ")} }`;
};

/** Platform-specific fields of a post. */
const blotatoTarget = (read: ParameterReader): string => {
  const platform = toText(read.raw("platform"), "twitter");
  if (platform.startsWith("=")) throw new NotConvertible("uses an expression for the platform");
  const own: Readonly<Record<string, string>> = {
    facebook: `, pageId: ${read.text("facebookPageId")}`,
    pinterest: `, boardId: ${read.text("pinterestBoardId")}`,
    youtube: `, title: ${read.text("postCreateYoutubeOptionTitle")}, privacyStatus: ${read.source("postCreateYoutubeOptionPrivacyStatus") ?? '"private"'}, shouldNotifySubscribers: ${read.raw("postCreateYoutubeOptionShouldNotifySubscribers") !== false}`,
    tiktok: `, privacyLevel: ${read.source("postCreateTiktokOptionPrivacyLevel") ?? '"SELF_ONLY"'}, disabledComments: ${read.raw("postCreateTiktokOptionDisabledComments") === true}, disabledDuet: ${read.raw("postCreateTiktokOptionDisabledDuet") === true}, disabledStitch: ${read.raw("postCreateTiktokOptionDisabledStitch") === true}, isBrandedContent: ${read.raw("postCreateTiktokOptionIsBrandedContent") === true}, isYourBrand: ${read.raw("postCreateTiktokOptionIsYourBrand") === true}, isAiGenerated: ${read.raw("postCreateTiktokOptionIsAiGenerated") === true}`,
  };
  return `{ targetType: ${JSON.stringify(platform)}${own[platform] ?? ""} }`;
};

/** The file of the item, or the text. */
const fileOrText = (
  read: ParameterReader,
  flag: string,
  text: string,
  isUsual: boolean,
): string => {
  const isFile = (read.raw(flag) ?? isUsual) === true;
  const name = property(read);
  return isFile ? `n8n.file($item, ${name})` : read.text(text);
};

const property = (read: ParameterReader): string =>
  read.code("binaryPropertyName") ?? read.code("dataPropertyName") ?? '"data"';

/** A row number. n8n counts from 0. */
const rowNumber = (read: ParameterReader, path: string, otherwise: number): string => {
  const value = read.raw(path) ?? otherwise;
  if (typeof value !== "number") throw new NotConvertible("uses an expression for the row");
  return String(value + 1);
};

/** A field of the selected way to name a location. */
function weatherPlace(read: ParameterReader, way: string, field: string): string | undefined {
  const code = read.code(field);
  return toText(read.raw("locationSelection"), "cityName") === way && code !== undefined
    ? `n8n.text(${code})`
    : undefined;
}

const blotatoPost = (read: ParameterReader): string => {
  const platform = toCode(read.raw("platform") ?? "twitter");
  const scheduled = read.code("options.scheduledTime");
  return `{ post: { accountId: ${read.text("accountId")}, content: { text: ${read.text("postContentText")}, mediaUrls: n8n.list(${read.code("postContentMediaUrls") ?? '""'}), platform: ${platform} }, target: ${blotatoTarget(read)} }${scheduled === undefined ? "" : `, scheduledTime: ${scheduled}`} }`;
};

/** The file for Facebook. Its parameter can contain the form field name before the item field. */
const facebookFile = (read: ParameterReader): string | undefined => {
  if (read.raw("sendBinaryData") !== true) return undefined;
  const [name = "data", field = name] = toText(read.raw("binaryPropertyName"), "data")
    .split(":")
    .toReversed();
  return `{ [${JSON.stringify(field)}]: n8n.file($item, ${toCode(name)}) }`;
};

/** The page parts that Firecrawl reads. */
const firecrawlScrape = (read: ParameterReader): string => {
  const options = toObject(toObject(read.raw("scrapeOptions"))["options"]);
  const list = (name: string, inner: string): string[] => {
    const all = toList(toObject(options[name])["items"]).map(toObject);
    const codes = all.map((one) => `...n8n.list(${toCode(one[inner] ?? "")})`);
    return all.length === 0 ? [] : [`${name}: [${codes.join(", ")}]`];
  };
  const formats = toList(toObject(options["formats"])["format"]).map((one) =>
    JSON.stringify(toText(toObject(one)["type"], "markdown")),
  );
  const only = options["onlyMainContent"];
  const own = read.code("additionalFields.customProperties");
  return `{ url: ${read.text("url")}, formats: [${formats.length === 0 ? '"markdown"' : formats.join(", ")}]${only === undefined ? "" : `, onlyMainContent: ${toCode(only)}`}${["", ...list("includeTags", "tag"), ...list("excludeTags", "tag")].join(", ")}${own === undefined ? "" : `, ...n8n.json(${own})`} }`;
};

const elevenLabsModel = (read: ParameterReader): string =>
  toCode(toObject(read.raw("additionalOptions.model"))["value"] ?? "eleven_multilingual_v2");

/** The modifications of a Bannerbear template. */
const bannerbearChanges = (read: ParameterReader): string => {
  const all = toList(toObject(read.raw("modificationsUi"))["modificationsValues"]);
  const codes = all.map((one) => {
    const { name = "", text, color, background, imageUrl } = toObject(one);
    const part = (key: string, value: unknown): string[] =>
      value === undefined || value === "" ? [] : [`${key}: ${toCode(value)}`];
    return `{ ${[`name: ${toCode(name)}`, ...part("text", text), ...part("color", color), ...part("background", background), ...part("image_url", imageUrl)].join(", ")} }`;
  });
  return `[${codes.join(", ")}]`;
};

export const webFunctions: SourceFunctions = {
  facebookQuery,
  facebookFile,
  blotatoPost,
  fileOrText,
  rowNumber,
  weatherPlace,
  firecrawlScrape,
  elevenLabsModel,
  bannerbearChanges,
};
