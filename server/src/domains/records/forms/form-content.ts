/** The content of a form: its fields and its texts. */
import Type, { type Static } from "typebox";
import type { ColumnSchema, ColumnTypeName } from "#domains/tables/index.ts";
import { line, object, text } from "#kernel/schema/schema.ts";

const FIELDS_MAX = 60;

/** File types that anonymous visitors can upload, by media type. HTML and executables are excluded. */
const FILE_TYPES = {
  picture: /^image\/(png|jpeg|gif|webp|avif|heic|heif|tiff|bmp)$/,
  pdf: /^application\/pdf$/,
  text: /^(text\/(plain|csv|markdown)|application\/(json|rtf))$/,
  office: /^application\/vnd\.(openxmlformats-officedocument|oasis\.opendocument)\.[\w.-]+$/,
  archive: /^application\/(zip|gzip|x-7z-compressed|x-tar)$/,
  audio: /^audio\//,
  video: /^video\//,
} as const;
type FileKind = keyof typeof FILE_TYPES;
const FILE_KINDS = Object.keys(FILE_TYPES) as FileKind[];

/** Limits for all fields of one form together. They are lower than for members, because visitors are anonymous. */
export const FILES_MAX = 10;
const FILES_MEGABYTES_MAX = 25;
export const FILES_BYTES_MAX = FILES_MEGABYTES_MAX * 1024 * 1024;

/** The types that the file picker offers for each kind; the server checks the content of the file. */
const OFFERED: Readonly<Record<FileKind, string>> = {
  picture: "image/*",
  pdf: ".pdf",
  text: ".txt,.csv,.md,.json,.rtf",
  office: ".docx,.xlsx,.pptx,.odt,.ods,.odp",
  archive: ".zip,.gz,.7z,.tar",
  audio: "audio/*",
  video: "video/*",
};

/** The value of `accept` for a file input; undefined if all kinds are allowed. */
export function offeredFiles(
  { accept }: FormField,
  { type }: Pick<ColumnSchema, "type">,
): string | undefined {
  if (type === "image") return OFFERED.picture;
  return accept?.map((kind) => OFFERED[kind]).join(",");
}

/** Describes the maximum number and size of files. */
export function describeFileLimit({ options }: Pick<ColumnSchema, "options">): string {
  const max = Math.min(Number(options["max"] ?? FILES_MAX), FILES_MAX);
  const size = `${FILES_MEGABYTES_MAX} MB`;
  return max === 1 ? `One file, at most ${size}.` : `At most ${max} files, ${size} in total.`;
}

/** Returns whether a form field accepts a file of this media type, which was detected from its bytes. */
export function takesType({ accept = FILE_KINDS }: FormField, mediaType: string): boolean {
  return accept.some((kind) => FILE_TYPES[kind].test(mediaType));
}

const FormField = object({
  name: line(63),
  label: Type.Optional(line(200)),
  help: Type.Optional(text(500)),
  required: Type.Optional(Type.Boolean()),
  accept: Type.Optional(
    Type.Array(Type.Enum(FILE_KINDS), {
      minItems: 1,
      maxItems: FILE_KINDS.length,
      uniqueItems: true,
      description:
        "For a file field: the accepted types, detected from the content. Default: all of these",
    }),
  ),
});
export type FormField = Static<typeof FormField>;

export const FormContent = object(
  {
    title: Type.Optional(line(200)),
    intro: Type.Optional(text(2_000)),
    thanks: Type.Optional(text(2_000)),
    fields: Type.Array(FormField, {
      maxItems: FIELDS_MAX,
      description: "The fields in order. Other fields are not shown or accepted",
    }),
  },
  { title: "FormContent" },
);
export type FormContent = Static<typeof FormContent>;

export const EMPTY_FORM: FormContent = { fields: [] };

/** Column types supported on pages without scripts. */
const ASKABLE: ReadonlySet<ColumnTypeName> = new Set<ColumnTypeName>([
  "text",
  "integer",
  "decimal",
  "boolean",
  "date",
  "timestamp",
  "enum",
  "multi_enum",
  "duration",
  "email",
  "url",
  "file",
  "image",
]);

/** True for a column whose answers are files. */
export function isFileField({ type }: Pick<ColumnSchema, "type">): boolean {
  return type === "file" || type === "image";
}

/** Returns whether a form can include a column. */
export function isAskable({ type, columnType }: ColumnSchema): boolean {
  return ASKABLE.has(type) && !columnType.generated;
}
