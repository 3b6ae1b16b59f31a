/** All apps, with deployments and recent errors, and an action to create one. */
import "../apps.css";
import { Link } from "@tanstack/react-router";
import { AppWindow, Ellipsis, ExternalLink } from "lucide-react";
import { useState } from "react";
import { call, type Reply, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useRefusals } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import { BASE_PATH, ENVIRONMENTS, place } from "../../data/place.ts";
import { findNamed } from "../../shell/list/name-search.ts";
import { ListPage } from "../../shell/list/list-page.tsx";
import { Menu, type MenuItem } from "../../ui/overlay/menu.tsx";
import { Ago } from "../../ui/time.tsx";
import { count, toWords } from "../../ui/words.ts";
import { StartDialog } from "./start-dialog.tsx";

export function Apps() {
  const refusalOf = useRefusals();
  const read = useOp("apps.list", { query: { limit: 200, status: "all" } });
  const [words, setWords] = useState("");
  const [isStarting, setStarting] = useState(false);
  const refusal = refusalOf("apps.archive");
  const found = findNamed(read.data?.data, words) ?? [];
  const shown = found.filter(({ status }) => status === "active");
  const archived = found.filter(({ status }) => status === "archived");
  return (
    <>
      <ListPage
        title="Apps"
        about="Internal tools on top of your data: lists, forms, boards and charts. Users see only the data that they have access to."
        thing="app"
        read={read}
        shown={found.length}
        find={{ value: words, onChange: setWords, by: "names and descriptions" }}
        create={{ label: "New app", run: () => setStarting(true), refusal }}
        empty="Example: an app for the table Stock, where the warehouse records deliveries. Select New app to generate it from the table."
      >
        <div className="app-list scroll">
          <ul className="app-cards">
            {shown.map((app) => (
              <AppCard key={app.id} app={app} refusal={refusal} />
            ))}
          </ul>
          {archived.length > 0 && (
            <details className="app-archive">
              <summary>{count(archived.length, "archived app")}</summary>
              <ul className="app-cards">
                {archived.map((app) => (
                  <AppCard key={app.id} app={app} refusal={refusal} />
                ))}
              </ul>
            </details>
          )}
          {shown.length > 0 && (
            <p className="muted app-note">
              Members who can open apps can use the published ones. Apps show and change only the
              data that each member has access to.
            </p>
          )}
        </div>
      </ListPage>
      {isStarting && (
        <StartDialog taken={read.data?.data ?? []} onClose={() => setStarting(false)} />
      )}
    </>
  );
}

export function addressOf(slug: string, environment: string): string {
  const query = environment === "production" ? "" : `?environment=${environment}`;
  return `${BASE_PATH}/apps/${place.workspace ?? ""}/${slug}${query}`;
}

type ListedApp = Reply<"apps.list">["data"][number];

function AppCard(props: { readonly app: ListedApp; readonly refusal: string | undefined }) {
  const { app, refusal } = props;
  const { id, name, slug, description, environments, errors, updatedAt, createdBy } = app;
  const nameOf = useNames();
  const wrong = ENVIRONMENTS.filter((environment) => errors[environment] > 0);
  return (
    <li className="app-card">
      <AppWindow className="ico" />
      <span className="grow">
        <Link to="/builder/$id" params={{ id }} search={{}} className="app-name cut">
          {name}
        </Link>
        <span className="muted cut">{description === "" ? `/${slug}` : description}</span>
      </span>
      <span className="app-places">
        {ENVIRONMENTS.toReversed().map((environment) => {
          const live = app.status === "active" && environments[environment];
          return live ? (
            <a
              key={environment}
              className="tag ok app-place"
              href={addressOf(slug, environment)}
              target="_blank"
              rel="noreferrer"
              title={`Open in ${environment}`}
            >
              {toWords(environment)} {live.number} <ExternalLink />
            </a>
          ) : null;
        })}
        {app.status === "archived" && <span className="tag idle">Archived</span>}
        {app.status === "active" && Object.values(environments).every((live) => live === null) && (
          <span className="tag">Not published</span>
        )}
        {wrong.map((environment) => (
          <span key={environment} className="tag bad">
            {count(errors[environment], "error")} in {environment}
          </span>
        ))}
      </span>
      <span className="muted wide-only">
        {nameOf(createdBy)} · <Ago at={updatedAt} />
      </span>
      <Menu
        label={`Actions for ${name}`}
        className="btn bare icon app-more"
        items={itemsOf(app, refusal)}
      >
        <Ellipsis />
      </Menu>
    </li>
  );
}

function itemsOf(app: ListedApp, refusal: string | undefined): readonly MenuItem[] {
  return [
    app.status === "archived"
      ? { label: "Restore", disabled: refusal, onPick: () => void unarchive(app) }
      : { label: "Archive", disabled: refusal, onPick: () => void archive(app) },
  ];
}

const archive = ({ id, name }: ListedApp): Promise<unknown> =>
  perform(
    "apps.archive",
    { params: { id } },
    {
      said: `${name} archived. Users can no longer open it.`,
      undo: () => call("apps.unarchive", { params: { id } }),
    },
  );

const unarchive = ({ id, name }: ListedApp): Promise<unknown> =>
  perform(
    "apps.unarchive",
    { params: { id } },
    {
      said: `${name} restored.`,
      undo: () => call("apps.archive", { params: { id } }),
    },
  );
