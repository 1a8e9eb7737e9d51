/** Of a module of its own, as the campaigns run without a build of the tests. */
export { dialects } from "./dialects.mts";
