import { useCallback } from "react";
import { useMay, useMe } from "../data/people.ts";
import type { Screen } from "./areas.ts";

/** Selects the screens that the person can use. Screens of the installation are for its operators. */
export function useOffer(): (screen: Pick<Screen, "needs" | "isForOperators">) => boolean {
  const may = useMay();
  const isOperator = useMe()?.isOperator === true;
  return useCallback(
    ({ needs, isForOperators }) => may(needs) && (isForOperators !== true || isOperator),
    [may, isOperator],
  );
}
