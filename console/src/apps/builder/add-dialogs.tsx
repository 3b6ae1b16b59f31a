/** Dialogs that add a component, a page or a data source. */
import {
  ChartColumn,
  Database,
  FilePlus,
  Sigma,
  Table2,
  Tickets,
  Users,
  Workflow,
} from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { useWork } from "../../data/use-command.ts";
import { OFFERS, type Offer } from "../draft/catalog.ts";
import {
  addParts,
  type Component,
  type Draft,
  freeName,
  insertAt,
  isComponentAt,
  readAt,
  roomFor,
  type Source,
} from "../draft/draft.ts";
import { notifyLeftOut, readScaffold, useStartChoices } from "../list/start-dialog.tsx";
import { fieldsOf } from "../properties/properties.tsx";
import { type Choice, ChoiceDialog } from "./choice-dialog.tsx";
import type { AppDraft } from "./use-app.ts";
import type { Dialog } from "./use-builder-acts.ts";
import type { Preview } from "./use-preview.ts";

interface AddDialogsProps {
  readonly app: AppDraft;
  readonly at: string;
  readonly dialog: Dialog;
  readonly preview: Preview | undefined;
  readonly onClose: () => void;
}

export function AddDialogs(props: AddDialogsProps) {
  if (props.dialog === "component") return <AddComponent {...props} />;
  if (props.dialog === "page") return <AddPage {...props} />;
  return props.dialog === "source" ? <AddSource {...props} /> : null;
}

/** Returns the default source of a new component: the list of the selected component, or the first list. */
function nearestSource(draft: Draft, at: string): string {
  const value = isComponentAt(at) ? (readAt(draft, at) as Component) : undefined;
  const own = draft.dataSources.find(({ name }) => name === value?.["dataSource"]);
  const isList = ({ kind, config }: Source): boolean =>
    (kind === "table" || kind === "tickets") && config["limit"] === undefined;
  const lists = draft.dataSources.filter(isList);
  const same = lists.find(({ config }) => config["table"] === own?.config["table"]);
  return (own && isList(own) ? own : (same ?? lists[0] ?? own ?? draft.dataSources[0]))?.name ?? "";
}

function AddComponent({ app, at, preview, onClose }: AddDialogsProps) {
  const add = (offer: Offer): void => {
    const { draft } = app;
    const brought = offer.source?.(draft);
    const base: Draft = brought
      ? { ...draft, dataSources: [...draft.dataSources, brought] }
      : draft;
    const near = brought?.name ?? nearestSource(draft, at);
    const data = (preview?.scope as { readonly data?: Record<string, unknown> } | undefined)?.data;
    const rows = data?.[near];
    const fields = fieldsOf(Array.isArray(rows) ? rows[0] : undefined);
    const plain = fields.filter((name) => !fields.some((one) => one.startsWith(`${name}.`)));
    const { draft: after, component } = withAggregate(base, offer, {
      source: near,
      fields: plain,
    });
    const room = roomFor(after, at);
    app.apply(insertAt(after, room.list, room.index, component));
  };
  const choices = OFFERS.map((offer) => ({
    id: offer.id,
    label: offer.label,
    about: offer.about,
    icon: offer.icon,
    onPick: () => add(offer),
  }));
  return <ChoiceDialog title="Add component" choices={choices} onClose={onClose} />;
}

/** A chart or number over a table's records gets its own aggregate source, so that it includes all records. */
function withAggregate(
  draft: Draft,
  offer: Offer,
  near: { readonly source: string; readonly fields: readonly string[] },
): { readonly draft: Draft; readonly component: Component } {
  const made = offer.make({ ...near, draft });
  const source = draft.dataSources.find(({ name }) => name === near.source);
  const table = source?.kind === "table" ? source.config["table"] : undefined;
  if (typeof table !== "string" || (offer.id !== "chart" && offer.id !== "stat"))
    return { draft, component: made };
  const taken = new Set(draft.dataSources.map(({ name }) => name));
  const group = near.fields.find((name) =>
    /^(status|state|stage|priority|kind|type|region|category|team)$/.test(name),
  );
  const name = freeName(`${near.source}_${offer.id === "chart" ? "by_group" : "count"}`, taken);
  const config = {
    table,
    aggregates: [{ fn: "count", as: "count" }],
    ...(offer.id === "chart" && {
      groupBy: [group ?? near.fields.find((one) => one !== "id") ?? "createdBy"],
    }),
  };
  const added: Source = { name, kind: "aggregate", config };
  const component: Component =
    offer.id === "chart"
      ? {
          ...made,
          dataSource: name,
          title: `By ${(group ?? "group").toLowerCase()}`,
          x: (config.groupBy ?? [])[0],
          y: "count",
        }
      : { ...made, value: `{{ data.${name}[0].count }}` };
  return { draft: { ...draft, dataSources: [...draft.dataSources, added] }, component };
}

function AddPage({ app, onClose }: AddDialogsProps) {
  const work = useWork("apps.scaffold");
  const { draft } = app;
  const paths = new Set(draft.pages.map(({ path }) => path));
  const blank: Choice = {
    id: "blank",
    label: "Blank page",
    about: "Start with an empty page",
    icon: FilePlus,
    onPick: () => {
      const path = freeName("/page", paths).replace("_", "-");
      const page = { path, title: "New page", components: [] };
      app.apply(addParts(draft, { pages: [page], dataSources: [] }));
    },
  };
  const choices = useStartChoices((of) => {
    const word = "table" in of ? of.table : "figures";
    const base = freeName(`/${word.replaceAll("_", "-")}`, paths).replace("_", "-");
    void work.run(async () => {
      const parts = await readScaffold(of, base);
      app.apply(addParts(draft, parts));
      notifyLeftOut(parts);
    });
  });
  return <ChoiceDialog title="Add page" choices={[blank, ...choices]} onClose={onClose} />;
}

function AddSource({ app, onClose }: AddDialogsProps) {
  const { draft } = app;
  const may = useMay();
  const all = { query: { limit: 200 } };
  const tables = useOp("tables.list", all, { enabled: may("tables.list") }).data?.data ?? [];
  const reports = useOp("reports.list", all, { enabled: may("reports.list") }).data?.data ?? [];
  const workflows =
    useOp("workflows.list", all, { enabled: may("workflows.list") }).data?.data ?? [];
  const add = (first: string, source: Pick<Source, "kind" | "config">): void => {
    const taken = new Set(draft.dataSources.map(({ name }) => name));
    const plain = first.replaceAll(/[^A-Za-z0-9]+/g, "_").replace(/^[^A-Za-z]+/, "") || "data";
    const name = freeName(plain.slice(0, 50), taken);
    const dataSources = [...draft.dataSources, { name, ...source }];
    app.apply({ draft: { ...draft, dataSources }, at: `/dataSources/${draft.dataSources.length}` });
  };
  const choices: readonly Choice[] = [
    ...tables.flatMap(({ slug, name }): Choice[] => [
      {
        id: slug,
        label: name,
        about: "Records of a table",
        icon: Table2,
        onPick: () => add(slug, { kind: "table", config: { table: slug } }),
      },
      {
        id: `${slug} numbers`,
        label: `${name}, aggregated`,
        about: "Counts and sums over all records",
        icon: Sigma,
        onPick: () =>
          add(`${slug}_numbers`, {
            kind: "aggregate",
            config: { table: slug, aggregates: [{ fn: "count", as: "count" }] },
          }),
      },
    ]),
    {
      id: "tickets",
      label: "Tickets",
      about: "Tickets that the user can see",
      icon: Tickets,
      onPick: () => add("tickets", { kind: "tickets", config: {} }),
    },
    ...reports.map(({ id, name }) => ({
      id,
      label: name,
      about: "Result of a report",
      icon: ChartColumn,
      onPick: () => add(name.toLowerCase(), { kind: "report", config: { reportId: id } }),
    })),
    ...workflows.map(({ id, name }) => ({
      id,
      label: name,
      about: "Output of a workflow",
      icon: Workflow,
      onPick: () => add(name.toLowerCase(), { kind: "workflow", config: { workflowId: id } }),
    })),
    {
      id: "members",
      label: "Members",
      about: "Active members of the workspace, for example to select a person",
      icon: Users,
      onPick: () => add("members", { kind: "members", config: {} }),
    },
    {
      id: "query",
      label: "Saved query",
      about: "Result rows of an SQL query",
      icon: Database,
      onPick: () => add("query", { kind: "query", config: { queryId: "" } }),
    },
  ];
  return <ChoiceDialog title="Add data source" choices={choices} onClose={onClose} />;
}
