import { useOp } from "../data/api.ts";
import { Bars } from "../ui/display/chart.tsx";
import { Section } from "../ui/display/section.tsx";
import { Table } from "../ui/display/table.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Ago } from "../ui/time.tsx";
import { toBytes } from "../ui/bytes.ts";

export function Storage() {
  const { data, error, isPending, refetch } = useOp("installation.read_storage");
  if (isPending) return <Loading rows={8} />;
  if (!data) return error && <ErrorNotice error={error} retry={() => void refetch()} />;
  const { databaseBytes, workspaces, largestTables } = data.data;
  return (
    <>
      <Section title="Workspaces" about="The workspace with the most events is first.">
        <Table
          label="Workspaces"
          rows={workspaces}
          keyOf={({ slug }) => slug}
          columns={[
            {
              id: "name",
              label: "Workspace",
              cell: ({ name, slug }) => (
                <span className="cut">
                  {name} <span className="muted">{slug}</span>
                </span>
              ),
              sortBy: ({ name }) => name,
            },
            {
              id: "members",
              label: "Members",
              width: "90px",
              isNumber: true,
              cell: ({ members }) => members.toLocaleString("en"),
              sortBy: ({ members }) => members,
            },
            {
              id: "events",
              label: "Events",
              width: "110px",
              isNumber: true,
              cell: ({ events }) => events.toLocaleString("en"),
              sortBy: ({ events }) => events,
            },
            {
              id: "files",
              label: "Files",
              width: "100px",
              isNumber: true,
              cell: ({ fileBytes }) => toBytes(fileBytes),
              sortBy: ({ fileBytes }) => fileBytes,
            },
            {
              id: "tables",
              label: "Tables",
              width: "100px",
              isNumber: true,
              cell: ({ tableBytes }) => toBytes(tableBytes),
              sortBy: ({ tableBytes }) => tableBytes,
            },
            {
              id: "last",
              label: "Last event",
              width: "110px",
              cell: ({ lastEventAt }) => lastEventAt && <Ago at={lastEventAt} />,
              sortBy: ({ lastEventAt }) => lastEventAt ?? "",
            },
          ]}
        />
      </Section>
      <Section
        title="Database"
        about={`${toBytes(databaseBytes)} in total. Largest tables, with their indexes:`}
      >
        <div className="operation-bars">
          <Bars
            label="Largest tables"
            items={largestTables.map(({ name, bytes }) => ({ label: name, value: bytes }))}
            format={toBytes}
          />
        </div>
      </Section>
    </>
  );
}
