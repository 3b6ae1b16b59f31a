/** Tiles that are moved and resized by mouse or keyboard: arrow keys move the focused one, Shift resizes. */
import { GripVertical } from "lucide-react";
import { useRef, useState } from "react";
import { useOp } from "../../data/api.ts";
import { Empty } from "../../ui/feedback.tsx";
import { boxStyle, TileGrid } from "../view/tile-grid.tsx";
import { Tile, tileTitle, type Widget, type WidgetData } from "../view/tile.tsx";
import type { Draft } from "./draft.ts";
import { type Box, COLUMNS, packTiles, placeTile } from "./layout.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";

const ROW_PX = 64;
const GAP_PX = 12;

interface EditorGridProps {
  readonly widgets: readonly Widget[];
  readonly saved: readonly WidgetData[];
  readonly before: readonly Widget[];
  readonly period: Draft["period"];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly onChange: (widgets: readonly Widget[]) => void;
}

interface Drag {
  readonly id: string;
  readonly mode: "move" | "size";
  readonly x: number;
  readonly y: number;
  readonly box: Box;
  readonly now: Box;
}

export function EditorGrid(props: EditorGridProps) {
  const { widgets, chosen, onChoose, onChange } = props;
  const area = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<Drag>();
  const shown = drag ? placeTile(widgets, drag.id, drag.now) : widgets;
  const begin = (id: string, mode: Drag["mode"], event: React.PointerEvent): void => {
    const box = widgets.find((one) => one.id === id)?.layout;
    if (!box || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ id, mode, x: event.clientX, y: event.clientY, box, now: box });
  };
  const follow = (event: React.PointerEvent): void => {
    if (!drag) return;
    const step = ((area.current?.clientWidth ?? 1) + GAP_PX) / COLUMNS;
    const dx = Math.round((event.clientX - drag.x) / step);
    const dy = Math.round((event.clientY - drag.y) / (ROW_PX + GAP_PX));
    setDrag({ ...drag, now: shift(drag.box, drag.mode, dx, dy) });
  };
  const end = (): void => {
    if (drag && JSON.stringify(drag.now) !== JSON.stringify(drag.box)) {
      onChange(packTiles(placeTile(widgets, drag.id, drag.now)));
    }
    setDrag(undefined);
  };
  const press = (id: string, event: React.KeyboardEvent): void => {
    const [dx, dy] = ARROWS[event.key] ?? [0, 0];
    const box = widgets.find((one) => one.id === id)?.layout;
    if (!box || (dx === 0 && dy === 0)) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(placeTile(widgets, id, shift(box, event.shiftKey ? "size" : "move", dx, dy)));
  };
  return (
    <div className="dash-scroll scroll editing" tabIndex={0} role="region" aria-label="Tiles">
      {widgets.length === 0 && (
        <Empty title="No tiles yet">Add a tile and select what it shows.</Empty>
      )}
      <div ref={area} onPointerMove={follow} onPointerUp={end} onPointerCancel={end}>
        <TileGrid>
          {drag && <div className="tile-ghost" style={boxStyle(drag.now)} />}
          {shown.map((widget) => (
            <EditorTile
              key={widget.id}
              widget={widget}
              editor={props}
              className={`${chosen === widget.id ? "chosen" : ""} ${drag?.id === widget.id ? "moving" : ""}`}
              onChoose={() => onChoose(widget.id)}
              onBegin={(mode, event) => begin(widget.id, mode, event)}
              onPress={(event) => press(widget.id, event)}
            />
          ))}
        </TileGrid>
      </div>
    </div>
  );
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function shift(box: Box, mode: Drag["mode"], dx: number, dy: number): Box {
  return mode === "move"
    ? { ...box, x: Math.max(0, Math.min(COLUMNS - box.w, box.x + dx)), y: Math.max(0, box.y + dy) }
    : {
        ...box,
        w: Math.max(2, Math.min(COLUMNS - box.x, box.w + dx)),
        h: Math.max(1, Math.min(24, box.h + dy)),
      };
}

interface EditorTileProps {
  readonly widget: Widget;
  readonly editor: EditorGridProps;
  readonly className: string;
  readonly onChoose: () => void;
  readonly onBegin: (mode: Drag["mode"], event: React.PointerEvent) => void;
  readonly onPress: (event: React.KeyboardEvent) => void;
}

function EditorTile({ widget, editor, className, onChoose, onBegin, onPress }: EditorTileProps) {
  const { saved, before, period } = editor;
  const old = saved.find(({ id }) => id === widget.id);
  const isSame =
    JSON.stringify(before.find(({ id }) => id === widget.id)?.report) ===
    JSON.stringify(widget.report);
  const { report } = widget;
  // A preview of the draft for the selected period; unchanged tiles are cached.
  const body = report && period ? { ...report, period: { ...report.period, ...period } } : report;
  const preview = useOp(
    "reports.preview",
    { body: body ?? { source: { kind: "events" } } },
    { enabled: report !== undefined && !isSame },
  );
  const data: WidgetData | undefined =
    report === undefined || isSame
      ? old
      : preview.error
        ? failedTile(widget, preview.error.message)
        : preview.data && {
            id: widget.id,
            kind: widget.kind,
            status: "ok",
            data: preview.data.data,
            report,
            at: null,
            cached: false,
          };
  const title = tileTitle(widget, data);
  return (
    <TileGrid.Item widget={widget} className={className}>
      <Tile
        {...{ widget, data }}
        bar={undefined}
        acts={
          <Button
            look="bare"
            isIcon
            className="tile-grip"
            type="button"
            aria-label={`Move ${title}: press arrow keys to move, Shift and arrow keys to resize`}
            title="Drag to move, or use the arrow keys. Shift and arrow keys resize it."
            onPointerDown={(event) => onBegin("move", event)}
            onKeyDown={onPress}
          >
            <GripVertical />
          </Button>
        }
      />
      <PlainButton
        type="button"
        className="tile-choose"
        aria-label={`Edit ${title}`}
        onClick={onChoose}
      />
      <span
        className="tile-corner"
        aria-hidden="true"
        onPointerDown={(event) => onBegin("size", event)}
      />
    </TileGrid.Item>
  );
}

function failedTile({ id, kind }: Widget, message: string): WidgetData {
  return { id, kind, status: "failed", error: { code: "", message }, at: null, cached: false };
}
