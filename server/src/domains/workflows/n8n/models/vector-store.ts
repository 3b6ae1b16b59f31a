/** n8n vector stores: scripts split and embed documents, and actions of the store preset save them. */
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
  scriptStep,
} from "../conversion.ts";
import {
  type Json,
  type JsonObject,
  type N8nNode,
  type NodePart,
  toList,
  toObject,
  toText,
} from "../n8n-workflow.ts";
import { convertModel } from "./model-part.ts";
import { invokeCode, scriptTool } from "./service-tool.ts";
import type { ToolContext } from "./tool-context.ts";

/** Embedding services, with the default model of n8n. */
const EMBEDDERS: Readonly<Record<string, { readonly title: string; readonly model: string }>> = {
  "lc.embeddingsOpenAi": { title: "OpenAI", model: "text-embedding-3-small" },
  "lc.embeddingsAzureOpenAi": { title: "Azure OpenAI", model: "text-embedding-3-small" },
  "lc.embeddingsGoogleGemini": { title: "Google Gemini", model: "gemini-embedding-001" },
  "lc.embeddingsOllama": { title: "Ollama", model: "llama3.2" },
  "lc.embeddingsMistralCloud": { title: "Mistral", model: "mistral-embed" },
};

type Bind = NodeContext["bind"];

/** Code that a script needs to write to a store and to search it. */
interface StoreCode {
  /** Statements with access to `docs`, each with `pageContent`, `metadata` and `vector`. */
  readonly insert: string;
  /** An expression with access to `vector` and `topK`. Returns documents with scores. */
  readonly search: string;
}

interface DescribedStore extends StoreCode {
  /** Code of a function that embeds texts. */
  readonly embed: string;
  /** The part with n8n expressions. */
  readonly text: string;
  readonly notes: readonly string[];
}

function chosen(value: Json): Json {
  const { value: inner, __rl } = toObject(value);
  return (__rl === true ? inner : value) ?? "";
}

/** Pairs of names and values as code of an object. */
function pairsCode(list: Json): string {
  const members = toList(list).map((one) => {
    const { name = "", value = "" } = toObject(one);
    return `[${toCode(name)}]: ${toCode(value)}`;
  });
  return `{ ${members.join(", ")} }`;
}

function filterCode(options: JsonObject): string {
  const values = toList(toObject(options["metadata"])["metadataValues"]);
  return values.length === 0 ? "undefined" : pairsCode(values);
}

const STORES: Readonly<Record<string, (parameters: JsonObject, bind: Bind) => StoreCode>> = {
  "lc.vectorStorePinecone": (parameters, bind) => {
    const index = toText(chosen(parameters["pineconeIndex"]), "index");
    const options = toObject(parameters["options"]);
    const title = `Pinecone, the index ${index} (a service of the catalogue)`;
    const invoke = invokeCode(bind("connector", `pinecone ${index}`, title));
    const namespace = `n8n.given(${toCode(options["pineconeNamespace"] ?? "")})`;
    const clear =
      options["clearNamespace"] === true
        ? `${invoke("delete_vectors", `{ deleteAll: true, namespace: ${namespace} }`)};\n`
        : "";
    return {
      insert: `${clear}for (const part of n8n.chunks(docs, 100)) ${invoke("upsert_vectors", `{ namespace: ${namespace}, vectors: part.map(({ pageContent, metadata, vector }) => ({ id: crypto.randomUUID(), values: vector, metadata: { ...metadata, text: pageContent } })) }`)};`,
      search: `(${invoke("query_vectors", `{ vector, topK, namespace: ${namespace}, filter: ${filterCode(options)}, includeMetadata: true }`)}).body.matches.map(({ metadata: { text, ...metadata }, score }) => ({ pageContent: text, metadata, score }))`,
    };
  },
  "lc.vectorStoreQdrant": (parameters, bind) => {
    const options = toObject(parameters["options"]);
    const invoke = invokeCode(bind("connector", "qdrant", "Qdrant (a service of the catalogue)"));
    const collection = `n8n.text(${toCode(chosen(parameters["qdrantCollection"]))})`;
    const content = toCode(options["contentPayloadKey"] ?? "content");
    const about = toCode(options["metadataPayloadKey"] ?? "metadata");
    const filter =
      options["searchFilterJson"] === undefined || options["searchFilterJson"] === ""
        ? "undefined"
        : `n8n.json(${toCode(options["searchFilterJson"])})`;
    return {
      insert: `const collection = ${collection};
const { collections } = (${invoke("list_collections", "{}")}).body.result;
if (docs.length > 0 && !collections.some(({ name }) => name === collection)) ${invoke("create_collection", '{ collection, size: docs[0].vector.length, distance: "Cosine" }')};
for (const part of n8n.chunks(docs, 100)) ${invoke("upsert_points", `{ collection, points: part.map(({ pageContent, metadata, vector }) => ({ id: crypto.randomUUID(), vector, payload: { [${content}]: pageContent, [${about}]: metadata } })) }`)};`,
      search: `(${invoke("search_points", `{ collection: ${collection}, vector, limit: topK, filter: ${filter}, with_payload: true }`)}).body.result.map(({ payload, score }) => ({ pageContent: payload[${content}], metadata: payload[${about}] ?? {}, score }))`,
    };
  },
  "lc.vectorStoreSupabase": (parameters, bind) => {
    const options = toObject(parameters["options"]);
    const invoke = invokeCode(
      bind("connector", "supabase", "Supabase (a service of the catalogue)"),
    );
    const table = `n8n.text(${toCode(chosen(parameters["tableName"]))})`;
    const name = `n8n.text(${toCode(options["queryName"] ?? parameters["queryName"] ?? "match_documents")})`;
    return {
      insert: `for (const part of n8n.chunks(docs, 100)) ${invoke("create_row", `{ table: ${table}, row: part.map(({ pageContent, metadata, vector }) => ({ content: pageContent, metadata, embedding: vector })) }`)};`,
      search: `(${invoke("call_function", `{ function: ${name}, arguments: { query_embedding: vector, match_count: topK, filter: ${filterCode(options)} ?? {} } }`)}).body.map(({ content, metadata, similarity }) => ({ pageContent: content, metadata, score: similarity }))`,
    };
  },
};

/** A store with its embedding model. */
function describeStore(node: N8nNode, parts: readonly NodePart[], bind: Bind): DescribedStore {
  const describe = Object.hasOwn(STORES, node.type) ? STORES[node.type] : undefined;
  if (!describe) throw new NotConvertible(`needs ${node.type}`);
  assertSupported(node.parameters);
  const part = parts.find(({ kind }) => kind === "ai_embedding");
  const service = part && EMBEDDERS[part.node.type];
  if (!part || !service) throw new NotConvertible(`needs ${part?.node.type ?? "an embedder"}`);
  const { model, modelName, options } = part.node.parameters;
  const given = toText(chosen(model ?? modelName)).replace(/^models\//, "");
  const { dimensions } = toObject(options);
  const invoke = invokeCode(bind("connector", service.title, service.title));
  const more = typeof dimensions === "number" ? `, dimensions: ${dimensions}` : "";
  const embed = `async (texts) => {
  const vectors = [];
  for (const part of n8n.chunks(texts, 100)) vectors.push(...(${invoke("embed", `{ model: ${toCode(given === "" ? service.model : given)}, texts: part${more} }`)}).vectors);
  return vectors;
}`;
  const code = describe(node.parameters, bind);
  return {
    ...code,
    embed,
    text: `${code.insert} ${code.search} ${embed}`,
    notes: given === "" ? [`the export does not name the model: ${service.model} is used`] : [],
  };
}

interface DocumentCode {
  /** Code of the texts of an item. `read` contains the items of its files, if `isFile` is set. */
  readonly texts: string;
  readonly isFile: boolean;
  readonly metadata: string;
  readonly size: number;
  readonly overlap: number;
  readonly notes: readonly string[];
}

const TOKEN_CHARACTERS = 4;

/** How documents are created from items and split. */
function describeDocuments(parts: readonly NodePart[]): DocumentCode {
  const part = parts.find(({ kind }) => kind === "ai_document");
  if (part?.node.type !== "lc.documentDefaultDataLoader")
    throw new NotConvertible(`needs ${part?.node.type ?? "a loader of documents"}`);
  const { parameters } = part.node;
  assertSupported(parameters);
  const { dataType = "json", jsonMode = "allInputData", jsonData = "", options } = parameters;
  const splitter = part.parts.find(({ kind }) => kind === "ai_textSplitter");
  const isToken = splitter?.node.type === "lc.textSplitterTokenSplitter";
  const unit = isToken ? TOKEN_CHARACTERS : 1;
  const { chunkSize = 1_000, chunkOverlap = splitter ? 0 : 200 } = splitter?.node.parameters ?? {};
  if (typeof chunkSize !== "number" || typeof chunkOverlap !== "number")
    throw new NotConvertible("uses an expression to split documents");
  const isFile = dataType === "binary";
  return {
    isFile,
    texts: isFile
      ? "read"
      : jsonMode === "expressionData"
        ? `n8n.textsOf(${toCode(jsonData)})`
        : "n8n.textsOf($json)",
    metadata: pairsCode(toObject(toObject(options)["metadata"])["metadataValues"]),
    size: Math.max(1, chunkSize * unit),
    overlap: Math.min(chunkOverlap, chunkSize - 1) * unit,
    notes: isToken ? ["a token is counted as four characters"] : [],
  };
}

/** Writes the documents of all items. */
const insertDocuments: Convert = (ctx) => {
  const { id, node, parts } = ctx;
  const store = describeStore(node, parts, ctx.bind);
  const made = describeDocuments(parts);
  const name = node.name.slice(0, 200);
  const text = `${store.text} ${made.texts} ${made.metadata}`;
  const view = [...new Set(["$json", "$item", ...viewNames(text)])].join(", ");
  const reads: Node[] = made.isFile
    ? [
        scriptStep(
          ctx,
          `${id}_files`,
          `return n8n.each(input, ${optionsCode(ctx, "")}, ({ $item, $itemIndex }) => Object.keys($item.$binary ?? {}).map((name) => ({ at: $itemIndex, file: n8n.file($item, name) }))).flat();`,
        ),
        {
          id: `${id}_read`,
          type: "file.read",
          name,
          config: { file: "{{ item.file }}" },
          forEach: { items: `{{ steps.${id}_files.output }}` },
        },
      ]
    : [];
  const files = made.isFile
    ? `const files = input.steps.${id}_files.output.map(({ at }, index) => ({ at, texts: n8n.fileTexts(input.steps.${id}_read.output[index]) }));\n`
    : "";
  const read = made.isFile
    ? "const read = files.filter(({ at }) => at === index).flatMap(({ texts }) => texts);\n  "
    : "";
  const source = `${files}const embed = ${store.embed};
const made = [];
let index = 0;
for (const view of n8n.each(input, ${optionsCode(ctx, text)}, (view) => view)) {
  const { ${view} } = view;
  ${read}const docs = ${made.texts}.flatMap((text) => n8n.splitText(text, ${made.size}, ${made.overlap})).map((pageContent) => ({ pageContent, metadata: ${made.metadata} }));
  const vectors = docs.length === 0 ? [] : await embed(docs.map(({ pageContent }) => pageContent));
  for (const [at, doc] of docs.entries()) doc.vector = vectors[at];
  await (async () => {
${store.insert}
  })();
  made.push(...docs.map(({ vector, ...doc }) => doc));
  index += 1;
}
return made;`;
  return {
    steps: [...reads, scriptStep(ctx, id, source)],
    approximations: [...findApproximations(ctx, text), ...store.notes, ...made.notes],
  };
};

/** Searches the store for each item. */
const loadDocuments: Convert = (ctx) => {
  const { node, parts, id } = ctx;
  const store = describeStore(node, parts, ctx.bind);
  const { prompt = "", topK = 4 } = node.parameters;
  const asked = `{ query: n8n.text(${toCode(prompt)}), topK: Number(${toCode(topK)}) }`;
  const text = `${store.text} ${asked}`;
  const view = [...new Set(["$json", ...viewNames(text)])].join(", ");
  const source = `const embed = ${store.embed};
const made = [];
for (const view of n8n.each(input, ${optionsCode(ctx, text)}, (view) => view)) {
  const { ${view} } = view;
  const { query, topK } = ${asked};
  const [vector] = await embed([query]);
  made.push(...${store.search}.map(({ score, ...document }) => ({ document, score })));
}
return made;`;
  return {
    steps: [scriptStep(ctx, id, source)],
    approximations: [...findApproximations(ctx, text), ...store.notes],
  };
};

const vectorStore: Convert = (ctx) => {
  const { mode = "retrieve" } = ctx.node.parameters;
  if (mode === "insert") return insertDocuments(ctx);
  if (mode === "load") return loadDocuments(ctx);
  throw new NotConvertible(`needs ${ctx.node.type} ${toText(mode)}`);
};

const QUERY: JsonObject = {
  type: "object",
  properties: { query: { type: "string" } },
  required: ["query"],
};

/** Code of the documents similar to `query`. */
const searchCode = (store: DescribedStore, topK: Json): string =>
  `const topK = Number(${toCode(topK ?? 4)});
const [vector] = await (${store.embed})([query]);
const docs = ${store.search};`;

/** A store that an agent can search. */
export function storeTool({ node, parts }: NodePart, ctx: ToolContext): JsonObject {
  const store = describeStore(node, parts, ctx.bind);
  ctx.approximations.push(...store.notes);
  const code = `const query = n8n.text(input.arguments.query);
${searchCode(store, node.parameters["topK"])}
return docs.map(({ pageContent, metadata }) => ({ pageContent, metadata }));`;
  return { ...scriptTool(ctx, store.text, code), parameters: QUERY };
}

/** Code of a model response based on `docs`. */
function answerCode(parts: readonly NodePart[], ctx: Pick<ToolContext, "bind">): string {
  const model = convertModel({ parts, bind: ctx.bind });
  if (Object.keys(model.args).length > 0)
    throw new NotConvertible("uses an expression for the model");
  const { connectorId, ...config } = model.config;
  const invoke = invokeCode(toText(connectorId));
  const asked = `{ ...${JSON.stringify(config)}, system: n8n.contextPrompt(docs), messages: [{ role: "user", content: query }] }`;
  return `(${invoke("chat", asked)}).text`;
}

/** A store whose documents another model uses to answer questions of an agent. */
export function answerTool({ node, parts }: NodePart, ctx: ToolContext): JsonObject {
  const found = parts.find(({ kind }) => kind === "ai_vectorStore");
  if (!found) throw new NotConvertible("has no store");
  const store = describeStore(found.node, found.parts, ctx.bind);
  ctx.approximations.push(...store.notes);
  const code = `const query = n8n.text(input.arguments.query);
${searchCode(store, node.parameters["topK"])}
return { response: ${answerCode(parts, ctx)} };`;
  return { ...scriptTool(ctx, store.text, code), parameters: QUERY };
}

/** A chain that answers the question of each item from a store. */
const retrievalChain: Convert = (ctx): ConvertedNode => {
  const { node, parts, id } = ctx;
  const { parameters } = node;
  assertSupported(parameters);
  const retriever = parts.find(({ kind }) => kind === "ai_retriever");
  const found = retriever?.parts.find(({ kind }) => kind === "ai_vectorStore");
  if (retriever?.node.type !== "lc.retrieverVectorStore" || !found)
    throw new NotConvertible(`needs ${retriever?.node.type ?? "a retriever"}`);
  if (toObject(parameters["options"])["systemPromptTemplate"] !== undefined)
    throw new NotConvertible("has a custom prompt");
  const store = describeStore(found.node, found.parts, ctx.bind);
  const { text: own, query, promptType } = parameters;
  const isOwn = promptType === "define" || own !== undefined || query !== undefined;
  const asked = isOwn ? toCode(own ?? query ?? "") : toCode("={{ $json.chatInput }}");
  const text = `${store.text} ${asked}`;
  const view = [...new Set(["$json", ...viewNames(text)])].join(", ");
  const source = `const made = [];
for (const view of n8n.each(input, ${optionsCode(ctx, text)}, (view) => view)) {
  const { ${view} } = view;
  const query = n8n.text(${asked});
  ${searchCode(store, retriever.node.parameters["topK"])}
  made.push({ response: ${answerCode(parts, ctx)} });
}
return made;`;
  return {
    steps: [scriptStep(ctx, id, source)],
    approximations: [...findApproximations(ctx, text), ...store.notes],
  };
};

export const vectorNodes: NodeTable = {
  "lc.vectorStorePinecone": vectorStore,
  "lc.vectorStoreQdrant": vectorStore,
  "lc.vectorStoreSupabase": vectorStore,
  "lc.chainRetrievalQa": retrievalChain,
};
