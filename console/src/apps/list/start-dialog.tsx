/** The first step of a new app: from a table, a dashboard, a report, or empty. */
import { useNavigate } from "@tanstack/react-router";
import { ChartColumn, LayoutDashboard, SquareDashed, Table2 } from "lucide-react";
import { call, type Reply, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { useWork } from "../../data/use-command.ts";
import { notify } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import { type Choice, ChoiceDialog } from "../builder/choice-dialog.tsx";
import { freeName, type Page, type Source } from "../draft/draft.ts";

export interface Scaffold {
  readonly name: string;
  readonly pages: readonly Page[];
  readonly dataSources: readonly Source[];
  readonly leftOut: Reply<"apps.scaffold">["data"]["leftOut"];
}

/** Lists the columns that the forms of a new app do not contain. */
export function notifyLeftOut({ leftOut }: Scaffold): void {
  if (leftOut.length === 0) return;
  const parts = leftOut.map(({ title, reason }) => `${title} (${reason.replace(/\.$/, "")})`);
  notify(`Not included in the form: ${parts.join(", ")}.`);
}

type ScaffoldOf =
  | { readonly table: string }
  | { readonly reportId: string }
  | { readonly dashboardId: string };

/** Requests a generated app; its parts can be added to a draft. */
export async function readScaffold(of: ScaffoldOf, base = ""): Promise<Scaffold> {
  const { data } = await call("apps.scaffold", { body: { ...of, ...(base !== "" && { base }) } });
  return data as unknown as Scaffold;
}

/** The tables, dashboards and reports that apps and pages can be generated from. */
export function useStartChoices(onPick: (of: ScaffoldOf) => void): readonly Choice[] {
  const may = useMay();
  const all = { query: { limit: 200 } };
  const tables = useOp("tables.list", all, { enabled: may("tables.list") }).data?.data ?? [];
  const seesReports = may("reports.list");
  const reports = useOp("reports.list", all, { enabled: seesReports }).data?.data ?? [];
  const dashboards = useOp("dashboards.list", all, { enabled: seesReports }).data?.data ?? [];
  return [
    ...tables.map(({ slug, name, columns }) => ({
      id: slug,
      label: name,
      about: `Table · ${count(columns.length, "column")}`,
      icon: Table2,
      onPick: () => onPick({ table: slug }),
    })),
    ...dashboards.map(({ id, name }) => ({
      id,
      label: name,
      about: "Dashboard",
      icon: LayoutDashboard,
      onPick: () => onPick({ dashboardId: id }),
    })),
    ...reports.map(({ id, name }) => ({
      id,
      label: name,
      about: "Report",
      icon: ChartColumn,
      onPick: () => onPick({ reportId: id }),
    })),
  ];
}

const BLANK: Scaffold = {
  name: "New app",
  pages: [
    {
      path: "/",
      title: "Home",
      components: [{ type: "text", text: "Hello {{ user.name }}", style: "heading" }],
    },
  ],
  dataSources: [],
  leftOut: [],
};

export function StartDialog(props: {
  readonly taken: readonly { readonly name: string; readonly slug: string }[];
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const work = useWork("apps.create");
  const create = async (read: () => Promise<Scaffold>): Promise<void> => {
    await work.run(async () => {
      const scaffold = await read();
      const { name: first, pages, dataSources } = scaffold;
      const names = new Set(props.taken.map(({ name }) => name));
      const name = freeName(first, names).replace(/_(\d+)$/, " $1");
      const slug = freeName(toSlug(first), new Set(props.taken.map((one) => one.slug)));
      const { data } = await call("apps.create", {
        body: {
          name,
          slug: slug.replace(/_(\d+)$/, "-$1"),
          pages: pages.map((page) => ({ ...page, components: [...page.components] })),
          dataSources: dataSources.map((source) => ({ ...source, config: { ...source.config } })),
        },
      });
      await navigate({ to: "/builder/$id", params: { id: data.id }, search: {} });
      notifyLeftOut(scaffold);
    });
  };
  const choices = useStartChoices((of) => void create(() => readScaffold(of)));
  const blank: Choice = {
    id: "blank",
    label: "Blank page",
    about: "Start with an empty page",
    icon: SquareDashed,
    onPick: () => void create(async () => BLANK),
  };
  return (
    <ChoiceDialog title="Create app from" choices={[...choices, blank]} onClose={props.onClose} />
  );
}

const toSlug = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 50) || "app";
