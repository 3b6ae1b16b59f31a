import "./settings.css";
import { useParams } from "@tanstack/react-router";
import { type ComponentType, lazy, Suspense } from "react";
import type { OperationId } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { NotFound } from "../../shell/not-found.tsx";
import { SETTINGS } from "../../shell/settings/declaration.ts";
import { useTitle } from "../../shell/title.ts";
import { Empty, Loading } from "../../ui/feedback.tsx";

interface Page {
  readonly Screen: ComponentType;
  /** The permission required for changes. */
  readonly write: OperationId;
}

const page = (write: OperationId, load: () => Promise<ComponentType>): Page => ({
  write,
  Screen: lazy(async () => ({ default: await load() })),
});

/** The pages below `/settings/desk`. See the settings declaration for titles and descriptions. */
const PAGES: Readonly<Partial<Record<string, Page>>> = {
  teams: page("teams.update", async () => (await import("../teams/teams.tsx")).Teams),
  macros: page("macros.create", async () => (await import("../macros/macros.tsx")).Macros),
  texts: page("macros.create", async () => (await import("../texts/texts.tsx")).Texts),
  fields: page("teams.update", async () => (await import("../fields/fields.tsx")).OwnFieldSettings),
  tags: page("macros.list", async () => (await import("../teams/tags.tsx")).TagSettings),
  mailboxes: page(
    "mailboxes.create",
    async () => (await import("../mail/mailboxes.tsx")).Mailboxes,
  ),
  assignment: page(
    "teams.update",
    async () => (await import("../assignment/rules.tsx")).AssignmentRules,
  ),
  templates: page(
    "changes.approve",
    async () => (await import("../templates/change-templates.tsx")).ChangeTemplates,
  ),
  rules: page("teams.update", async () => (await import("../teams/rules.tsx")).DeskRules),
  portal: page(
    "portal.update_settings",
    async () => (await import("../look/portal-look.tsx")).PortalLook,
  ),
  status: page(
    "status_components.create",
    async () => (await import("../look/status-page.tsx")).StatusPage,
  ),
};

/** The service desk settings: one page per topic, in a common layout. */
export function DeskSettings() {
  const { page: name = "" } = useParams({ strict: false });
  const refusalOf = useRefusals();
  const address = `/settings/desk/${name}`;
  const setting = SETTINGS.flatMap(({ settings }) => settings).find(({ to }) => to === address);
  useTitle(setting?.title);
  const open = PAGES[name];
  if (!open || !setting) return <NotFound />;
  const refusal = refusalOf(setting.needs);
  return (
    <div className="settings">
      <header className="settings-head">
        <h1>{setting.title}</h1>
        <p className="muted">
          {setting.about} {refusal === undefined && refusalOf(open.write)}
        </p>
      </header>
      {refusal === undefined ? (
        <Suspense fallback={<Loading rows={8} />}>
          <open.Screen />
        </Suspense>
      ) : (
        <Empty title="You don’t have permission to view these settings">{refusal}</Empty>
      )}
    </div>
  );
}
