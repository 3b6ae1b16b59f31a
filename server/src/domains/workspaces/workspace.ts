import Type, { type Static } from "typebox";
import { EVERYONE, permission } from "#kernel/access/permission.ts";
import { changeEvent, event } from "#kernel/log/event.ts";
import { failure, invalidField } from "#kernel/operation/failure.ts";
import { id, line, text, Time } from "#kernel/schema/schema.ts";

export const Slug = Type.String({
  pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
  maxLength: 63,
  description: "Lower-case letters, digits and hyphens",
});

/** Slugs that would clash with paths of the API. */
const RESERVED: ReadonlySet<string> = new Set(["me"]);

/** Throws for a slug that can't name a workspace in a path. */
export function assertUsableSlug(slug: string): void {
  if (slug === "")
    throw invalidField("/slug", "is required, because it can't be derived from the name");
  if (RESERVED.has(slug)) throw invalidField("/slug", "is reserved");
}

const CORS_ORIGINS_MAX = 20;

/** The settings that a member with `workspaces:write` may change. */
export const settingsFields = {
  name: line(100, "Display name"),
  description: text(2_000),
  plan: Type.Enum(["standard", "enterprise"], {
    description: "`enterprise` keeps 200 versions of each workflow, `standard` 50",
  }),
  timezone: line(64, "Default IANA time zone of schedules, reports and apps"),
  locale: line(35, "BCP 47 language tag, such as `de-CH`, for numbers and dates in apps"),
  corsOrigins: Type.Array(line(300), {
    maxItems: CORS_ORIGINS_MAX,
    uniqueItems: true,
    description:
      "Origins such as `https://desk.example.com` whose pages can call the API with a token (CORS). Default: none",
  }),
  ownEnvironmentValues: Type.Boolean({
    description: "Default of `ownValuesOnly` for new secrets and variables",
  }),
};

export const Workspace = Type.Object(
  {
    id: id("ws"),
    slug: Slug,
    ...settingsFields,
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Workspace" },
);
/** In event data; earlier events have no locale, origins or environment default. */
const WorkspaceData = Type.Object(
  {
    ...Workspace.properties,
    locale: Type.Optional(settingsFields.locale),
    corsOrigins: Type.Optional(settingsFields.corsOrigins),
    ownEnvironmentValues: Type.Optional(settingsFields.ownEnvironmentValues),
  },
  { title: "WorkspaceData" },
);
export type Workspace = Static<typeof Workspace> & { readonly revision: number };

export const SlugTaken = failure(
  "slug_taken",
  409,
  "Another workspace has this slug.",
  "workspaces_slug",
);

/** A slug derived from a display name; empty if the name has no usable character. */
export function slugOf(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, "");
}

export function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

export function isLocale(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/** True for a scheme, a host and a port, spelt as browsers do. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export const WorkspaceCreated = event("workspace.created", {
  resource: "workspace",
  summary: "A workspace was created.",
  data: WorkspaceData,
});

export const WorkspaceUpdated = changeEvent("workspace.updated", {
  resource: "workspace",
  summary: "The settings of a workspace were changed.",
  data: WorkspaceData,
});

export const WorkspacesRead = permission("workspaces:read", "View the workspace", EVERYONE);
export const WorkspacesWrite = permission("workspaces:write", "Update the workspace settings", []);
export const WorkspacesCreate = permission("workspaces:create", "Create workspaces", []);
