import { AuditRead } from "#domains/audit/index.ts";
import { type Viewer, viewerLookup } from "#domains/identity/roles/index.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type { EventVisibility } from "#kernel/log/event-visibility.ts";
import { KnowledgeWrite } from "./permissions.ts";

/** Events about drafts, agent articles and feedback are visible to authors only. */
const draftVisibility: Omit<EventVisibility, "resourceType"> = {
  async filtersFor(position, events) {
    const viewerOf = await viewerLookup(position);
    return events.map((event) => {
      if (isForEveryone(event)) return undefined;
      return (person) => {
        // Webhooks and workflows belong to the workspace, and continue after their author leaves.
        if (!person || person.roles.length === 0) return event;
        return canSeeDrafts(viewerOf(person)) ? event : undefined;
      };
    });
  },
  async visibleSql(position, person) {
    return canSeeDrafts((await viewerLookup(position))(person)) ? "true" : FOR_EVERYONE;
  },
};

export const articleVisibility: EventVisibility = { resourceType: "article", ...draftVisibility };
/** Searches are visible to authors, who can write missing articles. */
export const searchVisibility: EventVisibility = {
  resourceType: "article_search",
  ...draftVisibility,
};

const FOR_EVERYONE = `
  (e.data ->> 'state' = 'published' and e.data ->> 'visibility' = 'everyone')
  or (e.data -> 'after' ->> 'state' = 'published' and e.data -> 'before' ->> 'state' = 'published'
      and e.data -> 'after' ->> 'visibility' = 'everyone' and e.data -> 'before' ->> 'visibility' = 'everyone')`;

function canSeeDrafts({ permissions }: Viewer): boolean {
  return permissions.has(KnowledgeWrite.name) || permissions.has(AuditRead.name);
}

interface ArticleView {
  readonly state?: unknown;
  readonly visibility?: unknown;
}

function isForEveryone({ data }: RecordedEvent): boolean {
  const { before, after, ...article } = data as ArticleView & {
    readonly before?: ArticleView;
    readonly after?: ArticleView;
  };
  const views = before && after ? [before, after] : [article];
  return views.every(({ state, visibility }) => state === "published" && visibility === "everyone");
}
