import Type from "typebox";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { Article, ArticleRef, ArticleVersion, ArticleParams, example } from "./article.ts";
import { ArticleRestored } from "./events.ts";
import { KnowledgeWrite } from "./permissions.ts";
import { toPlainText } from "./markdown/render-markdown.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const NUMBER_MAX = 2_000_000_000;
const ByVersion = object({
  id: ArticleRef,
  version: Type.String({ pattern: "^[1-9]\\d{0,8}$", description: "Version number" }),
});
const versionExample = { params: { ...example.params, version: "1" } };

export const listVersions = query({
  id: "knowledge.list_versions",
  route: "GET /api/v1/knowledge/{id}/versions",
  summary: "List versions of an article, newest first",
  permission: KnowledgeWrite,
  params: ArticleParams,
  query: object(pageQuery),
  response: page(ArticleVersion),
  example,
  async run({ tx, services: { cursors } }, { params, query: { limit, after } }) {
    const { id } = await store.get(tx, params.id);
    const list = `versions of ${id}`;
    const [before = NUMBER_MAX] = after === undefined ? [] : cursors.decode(list, after);
    const rows = await store.listVersions(tx, id, { before: Number(before), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      (row) => cursors.encode(list, [row.version]),
    );
  },
});

export const getVersion = query({
  id: "knowledge.get_version",
  route: "GET /api/v1/knowledge/{id}/versions/{version}",
  summary: "Get a version of an article",
  permission: KnowledgeWrite,
  params: ByVersion,
  response: item(ArticleVersion),
  example: versionExample,
  async run({ tx }, { params: { id: ref, version } }) {
    const { id } = await store.get(tx, ref);
    return store.getVersion(tx, id, Number(version));
  },
});

export const restoreVersion = command({
  id: "knowledge.restore_version",
  effect: "ordinary",
  route: "POST /api/v1/knowledge/{id}/versions/{version}/restore",
  summary: "Restore a version of an article",
  description: "A retired article becomes a draft. Otherwise the state does not change.",
  permission: KnowledgeWrite,
  params: ByVersion,
  response: item(Article),
  emits: [ArticleRestored],
  example: versionExample,
  prepare: (platform, { params }, caller) => readVersionText(platform, params, caller),
  run: (ctx, { params: { id, version } }, plain) =>
    service.restore(ctx, id, { version: Number(version), plain }),
});

/** Reads the plain text of a version before the transaction. Versions never change. */
async function readVersionText(
  { db }: Platform,
  { id: ref, version }: { readonly id: string; readonly version: string },
  caller: Caller,
): Promise<string> {
  const partition = partitionOfCaller(caller);
  const { body } = await db.read(partition, async (tx) => {
    const { id } = await store.get(tx, ref);
    return store.getVersion(tx, id, Number(version));
  });
  return toPlainText(partition.workspace, body);
}
