import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

const draft = { title: "Restart the print queue", body: "Open **Services** and restart it." };

async function written(owner: Ask) {
  const { body } = await owner("POST /api/v1/knowledge", draft);
  return { params: { id: body.data.id as string } };
}

async function published(owner: Ask) {
  const article = await written(owner);
  await owner(`POST /api/v1/knowledge/${article.params.id}/publish`);
  return article;
}

async function withVersion(owner: Ask) {
  const { params } = await written(owner);
  // Some valid numbers belong to existing versions.
  return { params: { ...params, version: "1" }, openParams: true };
}

export const samples: readonly Sample[] = [
  { operation: "knowledge.list", arrange: async () => ({ query: { limit: "2", tag: "vpn" } }) },
  {
    operation: "knowledge.create",
    arrange: async () => ({
      body: {
        ...draft,
        summary: "For when nothing comes out",
        tags: ["printing"],
        category: "Hardware",
        visibility: "agents",
        reviewDueAt: "2030-01-01T00:00:00Z",
      },
    }),
  },
  {
    operation: "knowledge.search",
    arrange: async (owner) => {
      await published(owner);
      return { query: { q: "print queue", limit: "3" } };
    },
  },
  {
    operation: "knowledge.ask",
    arrange: async (owner) => {
      await published(owner);
      return { body: { q: "print queue", limit: 3 } };
    },
  },
  {
    operation: "knowledge.get",
    arrange: async (owner) => ({ ...(await written(owner)), query: { format: "html" } }),
  },
  {
    operation: "knowledge.update",
    arrange: async (owner) => ({ ...(await written(owner)), body: { title: "Other", tags: [] } }),
  },
  {
    operation: "knowledge.preview",
    arrange: async () => ({ body: { body: "Open **Services**." } }),
  },
  {
    operation: "knowledge.note_search",
    arrange: async (owner) => ({
      body: { q: "print queue", found: 1, openedId: (await published(owner)).params.id },
    }),
  },
  {
    operation: "knowledge.list_searches",
    arrange: async () => ({ query: { unanswered: "true" } }),
  },
  {
    operation: "knowledge.delete_search",
    arrange: async (owner) => {
      await owner("POST /api/v1/knowledge/searches", { q: "plotter", found: 0 });
      const { body } = await owner("GET /api/v1/knowledge/searches?q=plotter");
      return { params: { id: body.data[0].id as string } };
    },
  },
  { operation: "knowledge.submit_review", arrange: written },
  {
    operation: "knowledge.return",
    arrange: async (owner) => {
      const article = await written(owner);
      await owner(`POST /api/v1/knowledge/${article.params.id}/review`);
      return { ...article, body: { reason: "It is about the old queue." } };
    },
  },
  { operation: "knowledge.publish", arrange: written },
  { operation: "knowledge.retire", arrange: published },
  { operation: "knowledge.withdraw", arrange: published },
  {
    operation: "knowledge.reinstate",
    arrange: async (owner) => {
      const article = await published(owner);
      await owner(`POST /api/v1/knowledge/${article.params.id}/retire`);
      return article;
    },
  },
  { operation: "knowledge.list_versions", arrange: written },
  { operation: "knowledge.get_version", arrange: withVersion },
  { operation: "knowledge.restore_version", arrange: withVersion },
  {
    operation: "knowledge.give_feedback",
    arrange: async (owner) => ({
      ...(await published(owner)),
      body: { helpful: false, comment: "It came back." },
    }),
  },
  { operation: "knowledge.list_feedback", arrange: published },
  {
    operation: "knowledge.suggest_for_incident",
    arrange: async (owner) => {
      const { body } = await owner("POST /api/v1/itsm/incidents", {
        title: "The print queue is stuck",
        description: "Since this morning",
      });
      return { params: { id: body.data.id as string } };
    },
  },
];
