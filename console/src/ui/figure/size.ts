import { useEffect, useRef, useState } from "react";

const FIRST = { width: 480, height: 200 };
const HEIGHT_MIN_PX = 90;

/** Returns the size of a box and follows its changes. */
export function useSize<E extends HTMLElement>() {
  const box = useRef<E>(null);
  const [size, setSize] = useState(FIRST);
  useEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const observer = new ResizeObserver(() =>
      setSize({
        width: Math.max(120, current.clientWidth),
        height: Math.max(HEIGHT_MIN_PX, current.clientHeight),
      }),
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return { box, ...size };
}
