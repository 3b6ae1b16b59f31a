/** The columns of a table as picker options: the label is the title, the value is the name. */
import type { ComboOption } from "../../ui/overlay/options.tsx";
import { useOp } from "../api.ts";
import { useMay } from "../people.ts";

const KEPT_MS = 60_000;
const NONE: readonly never[] = [];

/** Returns no options if the table is undefined or can't be read. */
export function useColumnOptions(slug: string | undefined): {
  readonly options: readonly ComboOption[];
  readonly isLoading: boolean;
} {
  const enabled = useMay()("tables.get") && slug !== undefined && slug !== "";
  const { data, isFetching } = useOp(
    "tables.get",
    { params: { slug: slug ?? "" } },
    { enabled, staleTime: KEPT_MS },
  );
  const columns = enabled ? (data?.data.columns ?? NONE) : NONE;
  return {
    options: columns.map(({ name, title }) => ({ value: name, label: title, group: name })),
    isLoading: isFetching,
  };
}
