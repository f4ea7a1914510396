/** Made by the build of the explorer, from the cities of the demo; empty without their package. */
declare module 'virtual:cities' {
  export const cities: readonly (readonly [name: string, longitude: number, latitude: number])[]
}
