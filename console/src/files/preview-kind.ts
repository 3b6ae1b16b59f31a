/** Returns how a file is previewed, by its media type, and by its name for generic types. */

export type PreviewKind = "picture" | "document" | "table" | "json" | "text";

export interface NamedFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
}

const BOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const VAGUE = /^$|^text\/plain$|^application\/(octet-stream|zip)$/;
const TEXTS =
  /^(txt|text|log|md|markdown|ya?ml|toml|ini|conf|env|xml|svg|html?|css|[cm]?[jt]sx?|py|sh|sql|ndjson|jsonl|eml|ics|vcf)$/;

/** Undefined for binary files. */
export function kindOf({
  name,
  mediaType,
}: Pick<NamedFile, "name" | "mediaType">): PreviewKind | undefined {
  if (/^image\/(png|jpeg|gif|webp|avif)$/.test(mediaType)) return "picture";
  const ending = /\.(\w{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const isVague = VAGUE.test(mediaType);
  if (mediaType === "application/pdf" || mediaType === BOOK) return "document";
  if (isVague && ending === "xlsx") return "document";
  if (mediaType === "application/zip") return undefined;
  if (/^text\/(csv|tab-separated-values)$/.test(mediaType)) return "table";
  if (isVague && /^[ct]sv$/.test(ending)) return "table";
  if (/^application\/(.+\+)?json$/.test(mediaType)) return "json";
  if (isVague && ending === "json") return "json";
  const isText = /^text\/|^application\/(.+\+)?(xml|yaml|javascript|x-ndjson)$|^image\/svg/;
  return isText.test(mediaType) || (isVague && TEXTS.test(ending)) ? "text" : undefined;
}
