/** A preview of the draft in a frame, rendered with the view, style and script of deployed apps. */
import { useEffect, useRef, useState } from "react";
import { BASE_PATH } from "../../data/place.ts";
import { useTheme } from "../../shell/theme.ts";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import type { Draft } from "../draft/draft.ts";
import type { Preview, StageState } from "./use-preview.ts";

interface StageProps {
  readonly preview: Preview | undefined;
  readonly theme: Draft["theme"];
  /** The id of the selected component in the page. */
  readonly chosen: string | undefined;
  /** True if the preview is interactive instead of selecting components. */
  readonly isUsed: boolean;
  readonly isNarrow: boolean;
  readonly onChoose: (id: string | null) => void;
  readonly onPage: (path: string) => void;
  readonly onState: (state: StageState) => void;
}

type StageEvent =
  | { readonly from: string; readonly kind: "ready" }
  | { readonly from: string; readonly kind: "choose"; readonly id: string | null }
  | { readonly from: string; readonly kind: "page"; readonly path: string }
  | ({ readonly from: string; readonly kind: "state" } & StageState)
  | {
      readonly from: string;
      readonly kind: "key";
      readonly key: string;
      readonly meta: boolean;
      readonly shift: boolean;
    };

export function Stage(props: StageProps) {
  const { preview, theme, chosen, isUsed, isNarrow } = props;
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  const newest = useRef(props);
  newest.current = props;
  // The frame follows the console's theme if the app does not define one.
  useTheme();
  const own = theme?.mode;
  const mode =
    own === undefined || own === "auto"
      ? (document.documentElement.dataset["theme"] ?? "light")
      : own;
  useEffect(() => {
    const hear = ({ source, origin, data }: MessageEvent): void => {
      if (source !== frame.current?.contentWindow || origin !== location.origin) return;
      const event = data as StageEvent;
      const { onChoose, onPage, onState } = newest.current;
      if (event.kind === "ready") setReady(true);
      else if (event.kind === "choose") onChoose(event.id);
      else if (event.kind === "page") onPage(event.path);
      else if (event.kind === "state") {
        const { inputs, views, selected } = event;
        onState({ inputs, views, selected });
      } else {
        const { key, meta: ctrlKey, shift: shiftKey } = event;
        const init = { key, ctrlKey, shiftKey, bubbles: true, cancelable: true };
        document.body.dispatchEvent(new KeyboardEvent("keydown", init));
      }
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, []);
  useEffect(() => {
    if (!isReady || !preview) return;
    const accent = theme?.accent ?? null;
    const { state } = preview;
    const message = { kind: "show", state, chosen: chosen ?? null, isUsed, mode, accent };
    frame.current?.contentWindow?.postMessage(message, location.origin);
  }, [isReady, preview, chosen, isUsed, mode, theme?.accent]);
  const { box, size } = useScale(isNarrow);
  const isLate = useIsLate(isReady);
  return (
    <div ref={box} className={isNarrow ? "stage-box narrow" : "stage-box"}>
      {isLate && (
        <p className="stage-late" role="alert">
          The preview could not be loaded. Reload the page.
        </p>
      )}
      <iframe
        ref={frame}
        className="stage-frame"
        style={size}
        title="App preview"
        src={`${BASE_PATH}/apps/_stage`}
      />
    </div>
  );
}

const LATE_MS = 8_000;

/** Returns true if the frame did not respond in time, because its script did not run. */
function useIsLate(isReady: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (isReady) return setLate(false);
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, [isReady]);
  return isLate;
}

const DESK_PX = 1_080;

/** Scales the page from desktop width to the available space, or shows it at phone width. */
function useScale(isNarrow: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const isTelephone = useIsNarrow();
  const [place, setPlace] = useState({ width: DESK_PX, height: 0 });
  useEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const observer = new ResizeObserver(() =>
      setPlace({ width: current.clientWidth, height: current.clientHeight }),
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  // On phones, the preview is not scaled.
  const isScaled = !isNarrow && !isTelephone && place.width < DESK_PX;
  if (!isScaled) return { box, size: {} };
  const scale = place.width / DESK_PX;
  const size = { width: DESK_PX, height: place.height / scale, transform: `scale(${scale})` };
  return { box, size };
}
