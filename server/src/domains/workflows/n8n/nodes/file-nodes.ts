/** n8n nodes that read and write files. Items contain files as handles under `$binary`. */
import type { Node } from "../../definition/index.ts";
import { toCode, viewNames } from "../code-text.ts";
import {
  assertSupported,
  type Convert,
  type ConvertedNode,
  findApproximations,
  type NodeContext,
  type NodeTable,
  NotConvertible,
  optionsCode,
  outsideSteps,
  scriptStep,
  withReturn,
} from "../conversion.ts";
import { type JsonObject, toObject, toText } from "../n8n-workflow.ts";
import { flattenCode } from "./outside-nodes.ts";

const ROWS = "one.rows";

/** How to read a file and convert it to items, by n8n operation. */
const READS: Readonly<Record<string, { readonly as: string; readonly items: string }>> = {
  csv: { as: "csv", items: ROWS },
  xlsx: { as: "xlsx", items: ROWS },
  xls: { as: "xlsx", items: ROWS },
  pdf: {
    as: "pdf",
    items: "[{ numpages: one.pageCount, numrender: one.pageCount, text: one.text }]",
  },
  text: { as: "text", items: "[{ [key]: one.text }]" },
  html: { as: "text", items: "[{ [key]: one.text }]" },
  xml: { as: "text", items: "[{ [key]: one.text }]" },
  rtf: { as: "text", items: "[{ [key]: one.text }]" },
  fromJson: { as: "json", items: "[{ [key]: one.data }]" },
  binaryToPropery: { as: "base64", items: "[{ [key]: one.base64 }]" },
};

/** Converts a file of each item to fields. */
function readFile(ctx: NodeContext, operation: string, given: JsonObject): ConvertedNode {
  const { parameters } = ctx.node;
  const known = Object.hasOwn(READS, operation) ? READS[operation] : undefined;
  if (!known || operation === "rtf") throw new NotConvertible(`reads a file as ${operation}`);
  const options = toObject(parameters["options"]);
  const key = JSON.stringify(
    toText(given["destinationKey"] ?? parameters["destinationKey"], "data"),
  );
  const isTable = known.items === ROWS;
  const { sheetName, headerRow, delimiter, password, keepSource } = options;
  if (password !== undefined) throw new NotConvertible("reads a PDF with a password");
  const step = {
    type: "file.read",
    config: {
      file: "{{ item.file }}",
      as: known.as,
      ...(isTable && headerRow === false && { header: false }),
      ...(typeof delimiter === "string" &&
        delimiter.length === 1 &&
        known.as === "csv" && { separator: delimiter }),
      ...(typeof sheetName === "string" &&
        sheetName !== "" &&
        !sheetName.startsWith("=") && { sheet: sheetName }),
    },
  };
  const keeps = keepSource === "json" || keepSource === "both";
  const items = known.items.replaceAll("[key]", `[${key}]`);
  const name = given["binaryPropertyName"] ?? parameters["binaryPropertyName"] ?? "data";
  return outsideSteps(
    ctx,
    {
      args: `{ file: n8n.file($item, ${toCode(name)})${keeps ? ", kept: $json" : ""} }`,
      step,
      flatten: flattenCode(
        ctx,
        keeps ? `${items}.map((item) => ({ ...asked.kept, ...item }))` : items,
      ),
    },
    parameters,
  );
}

const extractFromFile: Convert = (ctx) =>
  readFile(ctx, toText(ctx.node.parameters["operation"], "csv"), {});

/** Converts data to a file, per item or for all items together. */
function writeFile(
  ctx: NodeContext,
  {
    as,
    data,
    all = false,
    extension,
  }: {
    readonly as: string;
    readonly data: string;
    readonly all?: boolean;
    readonly extension: string;
  },
): ConvertedNode {
  const { parameters } = ctx.node;
  const options = toObject(parameters["options"]);
  const fileName = options["fileName"];
  const target = JSON.stringify(
    toText(parameters["binaryPropertyName"] ?? parameters["destinationKey"], "data"),
  );
  const named =
    fileName === undefined || fileName === ""
      ? JSON.stringify(`file.${extension}`)
      : `(n8n.text(${toCode(fileName)}) || ${JSON.stringify(`file.${extension}`)})`;
  const step = {
    type: "file.write",
    config: {
      as,
      name: "{{ item.name }}",
      data: "{{ item.data }}",
      ...(as === "csv" && options["headerRow"] === false && { header: false }),
    },
  };
  const made = outsideSteps(
    ctx,
    {
      args: `{ name: ${named}, data: ${data} }`,
      step,
      flatten: flattenCode(ctx, `[{ $binary: { [${target}]: one } }]`),
    },
    parameters,
  );
  return all ? { ...made, steps: made.steps.map((one) => gatherArgs(ctx, one)) } : made;
}

/** One file for all items, with the name from the first item. */
function gatherArgs({ id }: NodeContext, step: Node): Node {
  if (step.id !== `${id}_args`) return step;
  return withReturn(
    step,
    (value) =>
      `const all = ${value};\nreturn all.length === 0 ? [] : [{ name: all[0].name, data: all.map(({ data }) => data) }];`,
  );
}

const convertToFile: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { operation = "csv", sourceProperty = "data", mode = "once" } = parameters;
  const options = toObject(parameters["options"]);
  const source = `n8n.get($json, ${toCode(sourceProperty)})`;
  switch (operation) {
    case "csv":
    case "xlsx":
      return writeFile(ctx, { as: operation, data: "$json", all: true, extension: operation });
    case "html":
      return writeFile(ctx, { as: "html", data: "n8n.htmlTable([$json])", extension: "html" });
    case "toJson":
      return writeFile(ctx, { as: "json", data: "$json", all: mode !== "each", extension: "json" });
    case "toText":
      return writeFile(ctx, { as: "text", data: `n8n.text(${source})`, extension: "txt" });
    case "toBinary":
      return writeFile(ctx, {
        as: "base64",
        data: `n8n.text(${source}).replace(/^data:[^,]*;base64,/, "")`,
        extension: extensionOf(options["mimeType"]),
      });
    default:
      throw new NotConvertible(`writes a file as ${toText(operation)}`);
  }
};

function extensionOf(mimeType: unknown): string {
  const [, kind = "bin"] = toText(mimeType).split("/");
  return kind.replace("jpeg", "jpg").replace("mpeg", "mp3").replaceAll(/\W.*/g, "") || "bin";
}

const spreadsheetFile: Convert = (ctx) => {
  const { operation = "fromFile", fileFormat = "autodetect" } = ctx.node.parameters;
  const format = toText(fileFormat) === "csv" ? "csv" : "xlsx";
  if (operation !== "toFile") return readFile(ctx, format === "csv" ? "csv" : "xlsx", {});
  return writeFile(ctx, { as: format, data: "$json", all: true, extension: format });
};

const readPdf: Convert = (ctx) => readFile(ctx, "pdf", {});

const moveBinaryData: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const {
    mode = "binaryToJson",
    sourceKey = "data",
    convertAllData = true,
    setAllData = true,
    destinationKey,
  } = parameters;
  const { useRawData } = toObject(parameters["options"]);
  if (mode === "binaryToJson") {
    const isWhole = setAllData !== false;
    const made = readFile(ctx, isWhole ? "fromJson" : "text", {
      binaryPropertyName: sourceKey,
      destinationKey: destinationKey ?? "data",
    });
    if (!isWhole) return made;
    const flatten = `const outputs = input.steps.${ctx.id}_call.output;\n${flattenCode(ctx, "n8n.toList(one.data)")}`;
    return {
      ...made,
      steps: made.steps.map((one) =>
        one.id === ctx.id ? { ...one, config: { source: flatten } } : one,
      ),
    };
  }
  const isAll = convertAllData !== false;
  const value = `n8n.get($json, ${toCode(parameters["sourceKey"] ?? "data")})`;
  return isAll
    ? writeFile(ctx, { as: "json", data: "$json", extension: "json" })
    : writeFile(
        ctx,
        useRawData === true
          ? { as: "text", data: `n8n.text(${value})`, extension: "txt" }
          : { as: "json", data: value, extension: "json" },
      );
};

/** A file that n8n writes to its disk becomes a file of the run with that name. */
const writeToDisk: Convert = (ctx) => {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  const { fileName = "", dataPropertyName = "data" } = parameters;
  if (toText(fileName) === "") throw new NotConvertible("has no file name");
  if (toObject(parameters["options"])["append"] === true)
    throw new NotConvertible("appends to a file on the n8n server");
  const text = [fileName, dataPropertyName];
  const source = `const items = [];
for (const { item, file, path } of n8n.each(input, ${optionsCode(ctx, text)}, ({ ${[...new Set(["$item", ...viewNames(toCode(text))])].join(", ")} }) => ({ item: $item, file: n8n.file($item, ${toCode(dataPropertyName)}), path: n8n.text(${toCode(fileName)}) }))) {
  const name = path.split(/[\\\\/]/).at(-1) || "file";
  const bytes = await context.files.read({ $file: file.$file });
  items.push({ ...item, fileName: path, $binary: { ...item.$binary, [n8n.text(${toCode(dataPropertyName)}) || "data"]: await context.files.write(name, bytes) } });
}
return items;`;
  return {
    steps: [scriptStep(ctx, ctx.id, source)],
    approximations: [
      ...findApproximations(ctx, text),
      "the file is stored with the run instead of on a disk",
    ],
  };
};

const readWriteFile: Convert = (ctx) => {
  if (ctx.node.parameters["operation"] === "write") return writeToDisk(ctx);
  throw new NotConvertible("reads from the disk of the n8n server");
};

export const fileNodes: NodeTable = {
  readWriteFile,
  writeBinaryFile: writeToDisk,
  extractFromFile,
  convertToFile,
  spreadsheetFile,
  readPDF: readPdf,
  moveBinaryData,
};
