import { useCallback } from "react";
import { useMay, useMe } from "../data/people.ts";
import type { Screen } from "./areas.ts";

/** Says which screens to offer: those of one's permissions, and the installation's to its operators. */
export function useOffer(): (screen: Screen) => boolean {
  const may = useMay();
  const isOperator = useMe()?.isOperator === true;
  return useCallback(
    ({ permission, isForOperators }) => may(permission) && (isForOperators !== true || isOperator),
    [may, isOperator],
  );
}
