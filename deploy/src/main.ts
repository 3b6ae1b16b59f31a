/** `npm run scale`: runs several processes of the product on one machine. */
import { Fleet } from "./fleet.ts";
import { Member } from "./member.ts";
import { planOf, PlanRefused, type Post, USAGE } from "./plan.ts";

const say = (line: string): void => void process.stdout.write(`scale: ${line}\n`);

function planOrExit(): readonly Post[] {
  try {
    return planOf(process.argv.slice(2), process.env);
  } catch (error) {
    if (!(error instanceof PlanRefused)) throw error;
    process.stderr.write(`${error.message}\n${USAGE}`);
    process.exit(2);
  }
}

const posts = planOrExit();
const fleet = new Fleet(
  posts.map((post) => new Member(post, { env: process.env, say })),
  say,
);
let ending = false;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    if (ending) return;
    ending = true;
    say(`stopping: ${signal}`);
    void fleet.end().then(() => process.exit(0));
  });
}
let begun = false;
process.on("SIGHUP", () => {
  // Before that, all processes are new anyway.
  if (begun) void fleet.renew();
});
begun = await fleet.begin();
if (begun) {
  const ports = posts.map(({ name, port }) => `${name} at ${port}`).join(", ");
  say(`ready: ${ports}. SIGHUP to process ${process.pid} restarts them one by one.`);
} else if (!ending) process.exit(1);
