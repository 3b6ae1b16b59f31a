import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";

const GAP = 20;
/** Dots that stand nearer than this are a grey: then every other one is left out. */
const GAP_MIN = 10;

/**
 * The dotted ground. It is painted once for a zoom and only shifted while one pans: painting it anew took most of a
 * frame.
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
      // By whole pixels: a layer that stands between them is filtered, which without a graphics card took half of a
      // frame.
      current.style.transform = `translate(${Math.round(x % gap)}px, ${Math.round(y % gap)}px)`;
    };
    place();
    return store.subscribe(place);
  }, [store]);
  return <div ref={ground} className="dots" aria-hidden="true" />;
}
