import { useCallback } from "react";
import { useMay, useMe } from "../data/people.ts";
import type { Screen } from "./areas.ts";

/** Tells which screens to offer: those that the permissions allow, and the installation's to its operators. */
export function useOffer(): (screen: Pick<Screen, "permission" | "isForOperators">) => boolean {
  const may = useMay();
  const isOperator = useMe()?.isOperator === true;
  return useCallback(
    ({ permission, isForOperators }) => may(permission) && (isForOperators !== true || isOperator),
    [may, isOperator],
  );
}
