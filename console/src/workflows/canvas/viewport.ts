/** The visible part of the canvas and its level of detail. */
import type { ReactFlowInstance, Viewport } from "@xyflow/react";
import { type Box, STEP_SIZE, TRIGGER } from "../graph/layout.ts";
import type { PlacedLayout } from "./use-layout.ts";

export const GLIDE_MS = 180;
/** The margins around a small graph. */
const MARGIN = { side: 24, top: 68, bottom: 32, zoomMin: 0.45 } as const;
/** The minimum distance of a selected step from the edge of the canvas. */
const EDGE = { side: 40, top: 84, bottom: 70 } as const;

/** Returns the step nearest to the centre of the viewport. */
export function findCentre(
  { layout, offset }: PlacedLayout,
  flow: ReactFlowInstance | undefined,
  host: HTMLElement | null,
): string | undefined {
  if (!flow || !host) return undefined;
  const area = host.getBoundingClientRect();
  const middle = { x: area.x + area.width / 2, y: area.y + area.height / 2 };
  const { x, y } = flow.screenToFlowPosition(middle);
  const distance = (box: Box): number =>
    Math.hypot(box.x + offset.x + box.width / 2 - x, box.y + offset.y + box.height / 2 - y);
  const boxes = [...layout.boxes.values()].filter(({ kind }) => kind === "step");
  return boxes.toSorted((a, b) => distance(a) - distance(b))[0]?.key;
}

/** Pans by the shortest distance that makes a step visible. */
export function revealBox(
  box: Box,
  flow: ReactFlowInstance | undefined,
  host: HTMLElement | null,
): void {
  if (!flow || !host) return;
  const { width, height } = host.getBoundingClientRect();
  const { x, y, zoom } = flow.getViewport();
  const [left, top] = [box.x * zoom + x, box.y * zoom + y];
  const right = left + (box.kind === "step" ? box.width * zoom : 0);
  const bottom = top + STEP_SIZE.height * zoom;
  const dx = left < EDGE.side ? EDGE.side - left : Math.min(0, width - EDGE.side - right);
  const dy = top < EDGE.top ? EDGE.top - top : Math.min(0, height - EDGE.bottom - bottom);
  if (dx !== 0 || dy !== 0) {
    void flow.setViewport(onPixels({ x: x + dx, y: y + dy, zoom }), { duration: GLIDE_MS });
  }
}

/** Fits a small graph into the viewport and aligns it to the top, so that there is room for new steps below. */
export function showWhole(
  { layout }: PlacedLayout,
  flow: ReactFlowInstance,
  host: HTMLElement | null,
): void {
  if (!host) return;
  const { clientWidth: width, clientHeight: height } = host;
  const fits = Math.min(
    (width - 2 * MARGIN.side) / layout.width,
    (height - MARGIN.top - MARGIN.bottom) / layout.height,
  );
  const zoom = Math.max(MARGIN.zoomMin, Math.min(1, fits));
  const x = (width - layout.width * zoom) / 2;
  const y = Math.max(MARGIN.top, Math.min((height - layout.height * zoom) / 2, height / 7));
  void flow.setViewport(onPixels({ x, y, zoom }));
}

/** Shows the beginning of a large graph at a readable zoom. */
export function showBeginning(
  { layout }: PlacedLayout,
  flow: ReactFlowInstance,
  host: HTMLElement | null,
): void {
  const first = layout.boxes.get(TRIGGER);
  const width = host?.clientWidth ?? 0;
  const zoom = width < 600 ? 0.6 : 0.7;
  if (!first) return;
  const x = width / 2 - (first.x + first.width / 2) * zoom;
  void flow.setViewport(onPixels({ x, y: 76, zoom }));
}

/** Rounds a viewport to whole pixels: content at fractional positions is filtered in each frame. */
const onPixels = ({ x, y, zoom }: Viewport): Viewport => ({
  x: Math.round(x),
  y: Math.round(y),
  zoom,
});

/** Hides details of cards at low zoom. It sets CSS classes without React, because it runs in every frame of a zoom. */
export function setDetail(host: HTMLElement | null, zoom: number): void {
  if (host) host.dataset["far"] = zoom < 0.24 ? "2" : zoom < 0.48 ? "1" : "0";
}
