import { openKernel } from "#domains/bus/testing/node.ts";
import type { World } from "#kernel/testing/world.ts";

/** A working node that can be made to crash at one of its writes to exports. */
export async function openNode(world: World, dieAt = Number.POSITIVE_INFINITY, after = false) {
  const kernel = await openKernel(world);
  const state = { writes: 0, dead: false };
  const died = new Error("died");
  const [write, system] = [kernel.db.write.bind(kernel.db), kernel.db.system.bind(kernel.db)];
  kernel.db.write = async (partition, work) => {
    if (state.dead) throw died;
    if (partition.workspace !== world.home) return write(partition, work);
    state.writes += 1;
    const isLast = state.writes === dieAt;
    if (isLast) state.dead = true;
    if (isLast && !after) throw died;
    const value = await write(partition, work);
    if (isLast) throw died;
    return value;
  };
  kernel.db.system = async (text, values) => {
    if (state.dead) throw died;
    return system(text, values);
  };
  await kernel.startWork();
  return Object.assign(kernel, { state });
}
