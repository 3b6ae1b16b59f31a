/** A dashboard: one request for all tiles, a shared filter bar, and links from every number to its rows. */
import "./dashboards.css";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { MonitorPlay, Pencil } from "lucide-react";
import { useMemo, useState } from "react";
import { type Drill, RowsSheet } from "../analytics/index.ts";
import { useOp } from "../data/api.ts";
import { useRefusals } from "../data/people.ts";
import { PageError } from "../shell/not-found.tsx";
import { useActions } from "../shell/actions.ts";
import { useTitle } from "../shell/title.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { useStableHandlers } from "../ui/behaviour/stable.ts";
import { DashboardEditor } from "./editor/editor.tsx";
import { readFilter, searchPeriod, shownPeriod, toggleGroup, writeFilter } from "./search.ts";
import { FilterBar } from "./view/bar.tsx";
import { useLiveTiles, useTileData } from "./view/live.ts";
import { Tile } from "./view/tile.tsx";
import { TileGrid } from "./view/tile-grid.tsx";
import { dataInput, uniqueSources } from "./view/request.ts";
import { Button } from "../ui/form/button.tsx";

export function DashboardPage() {
  const { id } = useParams({ from: "/inside/dashboards/$id" });
  const search = useSearch({ from: "/inside/dashboards/$id" });
  const { data, error, refetch } = useOp("dashboards.get", { params: { id } });
  useTitle(data?.data.name);
  if (error) return <PageError error={error} retry={() => void refetch()} />;
  if (!data || data.data.id !== id) return <Loading rows={12} />;
  if (search.edit) return <DashboardEditor key={id} dashboard={data.data} />;
  return <DashboardView dashboard={data.data} />;
}

type DashboardShape = NonNullable<ReturnType<typeof useOp<"dashboards.get">>["data"]>["data"];

function DashboardView({ dashboard }: { readonly dashboard: DashboardShape }) {
  const { id, name, widgets, filters } = dashboard;
  const search = useSearch({ from: "/inside/dashboards/$id" });
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const [drill, setDrill] = useState<Drill>();
  const input = dataInput(id, search);
  const { data, error, refetch } = useTileData(input);
  const tiles = useMemo(() => data?.data.widgets ?? [], [data]);
  useLiveTiles(input, tiles);
  const filter = readFilter(search.filter);
  const refusal = refusalOf("kpis.create");
  const go = (next: Partial<typeof search>): void =>
    void navigate({
      to: "/dashboards/$id",
      params: { id },
      search: { ...search, ...next },
      replace: true,
    });
  const edit = (): void => go({ edit: true });
  const openWall = (): void => void navigate({ to: "/wall/$id", params: { id }, search });
  useActions([
    { keys: "e", label: "Edit dashboard", run: edit, disabled: refusal },
    { keys: "w", label: "Full-screen view", run: openWall },
    { keys: "Escape", label: "Close rows", run: () => setDrill(undefined), hidden: true },
  ]);
  const handlers = useStableHandlers({
    open: (next: Drill) => setDrill(next),
    narrow: (group: Readonly<Record<string, unknown>>) => {
      const known = Object.entries(group).filter(([field]) => field !== "bucket");
      go({ filter: writeFilter(toggleGroup(filter, Object.fromEntries(known))) });
    },
  });
  const bar = data?.data.bar;
  return (
    <div className="page dash">
      <Head name={name} refusal={refusal} onEdit={edit} onWall={openWall} />
      <FilterBar
        period={shownPeriod(search, dashboard.period)}
        filters={filters}
        filter={filter}
        sources={uniqueSources(tiles)}
        onPeriod={(period) => go(searchPeriod(period, dashboard.period))}
        onFilter={(next) => go({ filter: writeFilter(next) })}
      />
      <div className="dash-body">
        <div className="dash-scroll scroll" tabIndex={0} role="region" aria-label="Tiles">
          {error && <ErrorNotice error={error} retry={() => void refetch()} />}
          {widgets.length === 0 && (
            <Empty
              title="No tiles yet"
              action={
                refusal === undefined && (
                  <Button look="main" type="button" onClick={edit}>
                    Add tile
                  </Button>
                )
              }
            >
              Add a tile to show a number or chart. Back to{" "}
              <Link to="/dashboards">all dashboards</Link>.
            </Empty>
          )}
          <TileGrid>
            {widgets.map((widget) => (
              <TileGrid.Item key={widget.id} widget={widget}>
                <Tile
                  widget={widget}
                  data={tiles.find((tile) => tile.id === widget.id)}
                  bar={bar}
                  onDrill={handlers.open}
                  onFilter={handlers.narrow}
                />
              </TileGrid.Item>
            ))}
          </TileGrid>
        </div>
        {drill && (
          <RowsSheet
            key={JSON.stringify(drill.mark)}
            drill={drill}
            onClose={() => setDrill(undefined)}
            onFilter={handlers.narrow}
          />
        )}
      </div>
    </div>
  );
}

interface HeadProps {
  readonly name: string;
  readonly refusal: string | undefined;
  readonly onEdit: () => void;
  readonly onWall: () => void;
}

function Head({ name, refusal, onEdit, onWall }: HeadProps) {
  return (
    <header className="page-head">
      <h1 className="cut">{name}</h1>
      <span className="grow" />
      <Button look="bare" type="button" onClick={onWall}>
        <MonitorPlay /> <span className="wide-only">Full screen</span>
      </Button>
      <Button refusal={refusal} type="button" onClick={onEdit}>
        <Pencil /> Edit
      </Button>
    </header>
  );
}
