/** A dashboard for wall displays: large, live, and red only if action is needed. */
import "./dashboards.css";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { useOp } from "../data/api.ts";
import { listenToLog } from "../data/live/live.ts";
import { useActions } from "../shell/actions.ts";
import { useTitle } from "../shell/title.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { useLiveTiles, useTileData } from "./view/live.ts";
import { dataInput } from "./view/request.ts";
import { Tile } from "./view/tile.tsx";
import { TileGrid } from "./view/tile-grid.tsx";
import { Button } from "../ui/form/button.tsx";

export function Wall() {
  const { id } = useParams({ from: "/inside/wall/$id" });
  const search = useSearch({ from: "/inside/wall/$id" });
  const navigate = useNavigate();
  const input = dataInput(id, search);
  const dashboard = useOp("dashboards.get", { params: { id } }).data?.data;
  const { data, error } = useTileData(input);
  const tiles = useMemo(() => data?.data.widgets ?? [], [data]);
  useLiveTiles(input, tiles);
  useTitle(dashboard?.name);
  useEffect(listenToLog, []);
  const close = (): void => void navigate({ to: "/dashboards/$id", params: { id }, search });
  useActions([{ keys: "Escape", label: "Exit full screen", run: close, always: true }]);
  return (
    <div className="wall" role="region" aria-label="Full-screen dashboard">
      <header>
        <h1 className="cut">{dashboard?.name}</h1>
        <Clock />
        <Button look="bare" isIcon type="button" aria-label="Exit full screen" onClick={close}>
          <X />
        </Button>
      </header>
      {error && <ErrorNotice error={error} />}
      {!dashboard && !error && <Loading rows={12} />}
      {dashboard && (
        <TileGrid>
          {dashboard.widgets.map((widget) => {
            const own = tiles.find((tile) => tile.id === widget.id);
            return (
              <TileGrid.Item key={widget.id} widget={widget}>
                <Tile widget={widget} data={own} bar={data?.data.bar} />
              </TileGrid.Item>
            );
          })}
        </TileGrid>
      )}
    </div>
  );
}

const SECOND_MS = 1_000;

function Clock() {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return <time>{now.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}</time>;
}
