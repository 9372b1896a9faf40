untrusted comment: verify with release.pub
RWRsZgbOiLnaX1CmNMngwd1fGgfDV4DOZu+QNubz46sP0eQXpmzIZW0H28zVX/jB8h2ydwautxSCVInX3iRqXcHy1msunyktlAA=
The warp is set before the weft.
