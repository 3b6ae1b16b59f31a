/** Schemas and failures of apps. */
import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, text, Time } from "#kernel/schema/schema.ts";
import { DataSource } from "./data-source.ts";

export const PAGES_MAX = 50;
export const SOURCES_MAX = 50;

export const AppId = id("app");
export const PageId = id("pag");

export const Slug = Type.String({
  pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
  maxLength: 63,
  description: "Part of the URL: lower-case letters, digits and hyphens",
});

const SEGMENT = "[A-Za-z0-9][A-Za-z0-9._~-]{0,62}";

const PATH = `^/?(${SEGMENT}(/${SEGMENT}){0,4})?$`;

/** The writable fields of a page. */
export const pageFields = {
  path: Type.String({
    pattern: PATH,
    description: "Path within the app. `/` is the start page",
  }),
  title: line(200),
  menu: Type.Optional(
    Type.Boolean({
      description: "False hides the page in the menu, for example a page of one record",
    }),
  ),
  components: Type.Array(Type.Unknown(), {
    maxItems: 300,
    description: "See GET /api/v1/apps/schema",
  }),
};

export const Page = Type.Object({ id: PageId, ...pageFields }, { title: "AppPage" });
export type Page = Static<typeof Page>;

export const Theme = Type.Object(
  {
    accent: Type.String({
      pattern: "^#[0-9a-fA-F]{6}$",
      description: "A colour such as `#0b6b63`",
    }),
    mode: Type.Optional(
      Type.Enum(["auto", "light", "dark"], {
        description: "Default: the colour scheme of the device",
      }),
    ),
  },
  { title: "AppTheme", additionalProperties: false },
);

/** The writable fields of an app, besides its pages and data sources. */
export const appFields = {
  name: line(100),
  slug: Slug,
  description: text(2_000),
  theme: nullable(Theme),
};

const baseFields = {
  id: AppId,
  ...appFields,
  theme: Type.Union([Theme, Type.Null()]),
  status: Type.Enum(["active", "archived"]),
};

/** The app in events. */
export const AppData = Type.Object(
  { ...baseFields, pages: Type.Array(Page), dataSources: Type.Array(DataSource) },
  { title: "AppData" },
);
export type AppData = Static<typeof AppData>;

const LiveDeployment = nullable(
  Type.Object({ deploymentId: id("dep"), number: Type.Integer(), since: Time }),
);
const auditFields = { createdBy: Type.String(), createdAt: Time, updatedAt: Time };

const Environments = Type.Object(
  { production: LiveDeployment, staging: LiveDeployment, development: LiveDeployment },
  { description: "The deployment in each environment. Null if nothing is deployed" },
);
const ErrorCounts = Type.Object(
  { production: Type.Integer(), staging: Type.Integer(), development: Type.Integer() },
  { description: "Number of errors in the last hour" },
);

/** The app in lists. */
export const AppSummary = Type.Object(
  { ...baseFields, ...auditFields, environments: Environments, errors: ErrorCounts },
  { title: "AppSummary" },
);
export type AppSummary = Static<typeof AppSummary> & { readonly revision: number };

export const App = Type.Object(
  { ...AppData.properties, ...auditFields, environments: Environments },
  { title: "App" },
);
/** A stored app. */
export type StoredApp = AppData & {
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};
export type AppWithEnvironments = StoredApp & Pick<Static<typeof App>, "environments">;

export const SlugTaken = failure("app_slug_taken", 409, "Another app has this slug.", "apps_slug");
export const AppIsArchived = failure("app_archived", 409, "The app is archived.");

/** The app's data in events: without its audit fields. */
export function appEventData({
  revision: _,
  createdBy: __,
  createdAt: ___,
  updatedAt: ____,
  ...data
}: StoredApp): AppData {
  return data;
}

export function appRef({ id: appId, name }: Pick<StoredApp, "id" | "name">) {
  return { id: appId, displayName: name };
}

/** Derives a slug from a name; empty if it has no letter or digit. */
export function slugOf(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, "");
}

const pathPattern = new RegExp(PATH);

/** True for a path that a page may have. */
export function isPagePath(path: string): boolean {
  return pathPattern.test(path);
}

/** Normalizes a page path to its stored form, with a leading slash. */
export function normalizePath(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}
