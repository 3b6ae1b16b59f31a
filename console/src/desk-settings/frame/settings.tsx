import "./settings.css";
import { Link, useParams } from "@tanstack/react-router";
import { AlarmClock, ArrowLeft, Siren } from "lucide-react";
import { lazy, Suspense } from "react";
import { useMay } from "../../data/people.ts";
import { useTitle } from "../../shell/title.ts";
import { NotFound } from "../../shell/not-found.tsx";
import { Empty, Loading } from "../../ui/feedback.tsx";
import { PAGE_WORDS, PAGES, readPage, type SettingsPage } from "./pages.ts";

const SCREENS: Readonly<Record<SettingsPage, ReturnType<typeof lazy>>> = {
  teams: lazy(async () => ({ default: (await import("../teams/teams.tsx")).Teams })),
  macros: lazy(async () => ({ default: (await import("../macros/macros.tsx")).Macros })),
  texts: lazy(async () => ({ default: (await import("../texts/texts.tsx")).Texts })),
  fields: lazy(async () => ({ default: (await import("../fields/fields.tsx")).OwnFieldSettings })),
  tags: lazy(async () => ({ default: (await import("../teams/tags.tsx")).TagSettings })),
  mailboxes: lazy(async () => ({ default: (await import("../mail/mailboxes.tsx")).Mailboxes })),
  assignment: lazy(async () => ({
    default: (await import("../assignment/rules.tsx")).AssignmentRules,
  })),
  templates: lazy(async () => ({
    default: (await import("../templates/change-templates.tsx")).ChangeTemplates,
  })),
  rules: lazy(async () => ({ default: (await import("../teams/rules.tsx")).DeskRules })),
  portal: lazy(async () => ({ default: (await import("../look/portal-look.tsx")).PortalLook })),
  status: lazy(async () => ({ default: (await import("../look/status-page.tsx")).StatusPage })),
};

/** How the desk works: one page for each thing, all in one frame. */
export function DeskSettings() {
  const { page: name } = useParams({ strict: false });
  const page = readPage(name);
  useTitle(page && `${PAGE_WORDS[page].label} · Desk settings`);
  const may = useMay();
  if (page === undefined) return <NotFound />;
  const { label, about, read, write } = PAGE_WORDS[page];
  const Screen = SCREENS[page];
  return (
    <div className="settings">
      <SettingsMenu page={page} />
      <div className="settings-page">
        <header className="settings-head">
          <h1>{label}</h1>
          <p className="muted">
            {about}
            {may(read) && !may(write) && ` You may look, not change (${write}).`}
          </p>
        </header>
        {may(read) ? (
          <Suspense fallback={<Loading rows={8} />}>
            <Screen />
          </Suspense>
        ) : (
          <Empty title="Not for you">This needs the permission {read}.</Empty>
        )}
      </div>
    </div>
  );
}

function SettingsMenu({ page }: { readonly page: SettingsPage }) {
  const may = useMay();
  return (
    <nav className="settings-menu scroll" aria-label="Desk settings">
      <Link to="/desk" className="view-line settings-back" activeOptions={{ exact: true }}>
        <ArrowLeft className="ico" aria-hidden="true" /> Desk
      </Link>
      <ul>
        {PAGES.filter((one) => may(PAGE_WORDS[one].read)).map((one) => {
          const { label, icon: Icon } = PAGE_WORDS[one];
          return (
            <li key={one}>
              <Link
                to="/desk/settings/$page"
                params={{ page: one }}
                className="view-line"
                aria-current={one === page ? "page" : undefined}
              >
                <Icon className="ico" aria-hidden="true" />
                {label}
              </Link>
            </li>
          );
        })}
        {may("teams.list") && (
          <li>
            <Link to="/oncall" className="view-line">
              <Siren className="ico" aria-hidden="true" />
              On call
            </Link>
          </li>
        )}
        {may("sla.list") && (
          <li>
            <Link to="/sla" className="view-line">
              <AlarmClock className="ico" aria-hidden="true" />
              SLAs
            </Link>
          </li>
        )}
      </ul>
    </nav>
  );
}
