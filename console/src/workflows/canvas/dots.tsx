import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";

const GAP = 20;
/** Dots closer than this look like solid grey, so every other dot is skipped. */
const GAP_MIN = 10;

/**
 * The dotted background. It is painted once per zoom level and only shifted during panning, because repainting it
 * took most of a frame.
 */
export function Dots() {
  const ground = useRef<HTMLDivElement>(null);
  const store = useStoreApi();
  useEffect(() => {
    let shown = 0;
    const place = (): void => {
      const { current } = ground;
      if (!current) return;
      const [x, y, zoom] = store.getState().transform;
      let gap = GAP * zoom;
      while (gap < GAP_MIN) gap *= 2;
      if (gap !== shown) current.style.backgroundSize = `${gap}px ${gap}px`;
      shown = gap;
      // Rounded to whole pixels: a layer at fractional pixels is filtered, which took half of a frame without a GPU.
      current.style.transform = `translate(${Math.round(x % gap)}px, ${Math.round(y % gap)}px)`;
    };
    place();
    return store.subscribe(place);
  }, [store]);
  return <div ref={ground} className="dots" aria-hidden="true" />;
}
