import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";

const GAP = 20;
/** Dots that stand nearer than this are a grey: then every other one is left out. */
const GAP_MIN = 10;

/** The dotted ground. It is painted once for a zoom and only shifted while one pans: painting it anew took most of a frame. */
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
      current.style.transform = `translate(${x % gap}px, ${y % gap}px)`;
    };
    place();
    return store.subscribe(place);
  }, [store]);
  return <div ref={ground} className="dots" aria-hidden="true" />;
}
