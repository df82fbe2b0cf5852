export const words = 'modules import modules'
