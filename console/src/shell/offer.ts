import { useCallback } from "react";
import { useMay, useMe } from "../data/people.ts";
import type { Screen } from "./areas.ts";

/** Returns whether the user can use a screen. Screens of the installation are for its operators. */
export function useOffer(): (screen: Pick<Screen, "needs" | "isForOperators">) => boolean {
  const may = useMay();
  const isOperator = useMe()?.isOperator === true;
  return useCallback(
    ({ needs, isForOperators }) => may(needs) && (isForOperators !== true || isOperator),
    [may, isOperator],
  );
}
