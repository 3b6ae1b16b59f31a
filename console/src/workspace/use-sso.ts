import { type Schemas, useOp } from "../data/api.ts";
import { place } from "../data/place.ts";

interface SsoState {
  readonly configuration: Schemas["SsoConfiguration"] | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly refetch: () => void;
}

/** The single sign-on settings; the configuration is only loaded if there is one. */
export function useSso(): SsoState {
  const workspace = place.workspace ?? "";
  const entry = useOp("sso.find", { query: { workspace } });
  const isSetUp = entry.data?.data.workspace === workspace;
  const { data, error, isLoading, refetch } = useOp("sso.get", undefined, { enabled: isSetUp });
  return {
    configuration: isSetUp && !error ? data?.data : undefined,
    error: entry.error ?? error,
    isPending: entry.isPending || isLoading,
    refetch: () => void Promise.all([entry.refetch(), isSetUp ? refetch() : undefined]),
  };
}
