export { signLog } from "../chain/checkpoint-job.ts";
