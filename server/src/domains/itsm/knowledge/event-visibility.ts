import { AuditRead } from "#domains/audit/index.ts";
import { type Viewer, viewerLookup } from "#domains/identity/roles/index.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type { EventVisibility } from "#kernel/log/event-visibility.ts";
import { KnowledgeWrite } from "./permissions.ts";

/** Events about drafts, and what people said of an article, are for those who write articles. */
const draftVisibility: Omit<EventVisibility, "resourceType"> = {
  async filtersFor(position, events) {
    const viewerOf = await viewerLookup(position);
    return events.map((event) => {
      if (isPublished(event)) return undefined;
      return (person) => {
        // A webhook or a workflow belongs to the workspace, and goes on when its author has left.
        if (!person || person.roles.length === 0) return event;
        return canSeeDrafts(viewerOf(person)) ? event : undefined;
      };
    });
  },
  async visibleSql(position, person) {
    return canSeeDrafts((await viewerLookup(position))(person)) ? "true" : PUBLISHED;
  },
};

export const articleVisibility: EventVisibility = { resourceType: "article", ...draftVisibility };
/** Searches are for those who could write what was not found. */
export const searchVisibility: EventVisibility = {
  resourceType: "article_search",
  ...draftVisibility,
};

const PUBLISHED = `
  e.data ->> 'state' = 'published'
  or (e.data -> 'after' ->> 'state' = 'published' and e.data -> 'before' ->> 'state' = 'published')`;

function canSeeDrafts({ permissions }: Viewer): boolean {
  return permissions.has(KnowledgeWrite.name) || permissions.has(AuditRead.name);
}

function isPublished({ data }: RecordedEvent): boolean {
  const { state, before, after } = data as {
    readonly state?: unknown;
    readonly before?: { readonly state?: unknown };
    readonly after?: { readonly state?: unknown };
  };
  if (before && after) return before.state === "published" && after.state === "published";
  return state === "published";
}
