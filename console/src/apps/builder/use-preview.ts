import { useEffect, useState } from "react";
import { isFields } from "../../form/index.ts";
import { type Reply, useOp } from "../../data/api.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { type Draft, pageOf } from "../draft/draft.ts";

const PREVIEW_AFTER_MS = 180;

export type Preview = Reply<"apps.preview">["data"];

/** The user's input and position in the preview. */
export interface StageState {
  readonly inputs: Readonly<Record<string, string | number | boolean | null>>;
  readonly views: Readonly<Record<string, { readonly q?: string; readonly after?: string }>>;
  readonly selected: Readonly<Record<string, readonly string[]>>;
}

const NOTHING: StageState = { inputs: {}, views: {}, selected: {} };

/** Loads the selected page of the draft, resolved by the server with real data. */
export function usePreview(
  draft: Draft,
  at: string,
  options: { readonly role: string; readonly mayEdit: boolean },
) {
  const [stage, setStage] = useState(NOTHING);
  const [sampleId, setSampleId] = useState<string>();
  const settled = useDebounced(draft, PREVIEW_AFTER_MS);
  const page = settled.pages[pageOf(at)] ?? settled.pages[0];
  const { name, theme, pages, dataSources } = settled;
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const { data, error, isFetching } = useOp(
    "apps.preview",
    {
      body: {
        definition: {
          name,
          theme,
          pages: pages.map((one) => ({ ...one, components: [...one.components] })),
          dataSources: dataSources.map((one) => ({ ...one, config: { ...one.config } })),
        },
        page: page?.path ?? "/",
        inputs: { ...stage.inputs },
        views: { ...stage.views },
        selected: Object.fromEntries(
          Object.entries(stage.selected).map(([id, rows]) => [id, [...rows]]),
        ),
        // A page with a record parameter shows an existing record.
        params: sampleId === undefined ? {} : { id: sampleId },
        timeZone,
        ...(options.role !== "" && { role: options.role }),
      },
    },
    { enabled: options.mayEdit && page !== undefined, staleTime: 5_000 },
  );
  const preview = data?.data;
  const found = findRecordId(preview, settled);
  useEffect(() => {
    if (found !== undefined) setSampleId((old) => old ?? found);
  }, [found]);
  return { preview, error, isFetching, setStage };
}

const ASKED = /^\{\{\s*params\.id\s*\}\}$/;

/** Finds a sample record: the first one in the list of the table that the page's parameter refers to. */
function findRecordId(preview: Preview | undefined, { dataSources }: Draft): string | undefined {
  const data = isFields(preview?.scope) ? preview.scope["data"] : undefined;
  const asked = dataSources.find(({ config: { filter } }) =>
    ASKED.test(String(isFields(filter) ? (filter["id"] as string) : "")),
  );
  const list = dataSources.find(
    ({ config }) => config["table"] === asked?.config["table"] && config["filter"] === undefined,
  );
  const rows = list && isFields(data) ? data[list.name] : undefined;
  const [first] = Array.isArray(rows) ? (rows as readonly unknown[]) : [];
  const id = isFields(first) ? first["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}
